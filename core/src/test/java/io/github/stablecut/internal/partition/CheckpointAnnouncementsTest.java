package io.github.stablecut.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.checkpoint.RunWriter;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.clock.MachineClock;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.PartitionLog;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.partition.commit.SavedRecord;
import io.github.stablecut.internal.record.CheckpointRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.journal.testing.LossySegments;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Checkpoint announcements of an earlier leader hold under later ones, even if those made no
 * checkpoint: the other replicas have pruned and truncated by them.
 */
final class CheckpointAnnouncementsTest {
  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");

  private final PartitionOptions options = GeneratedPartition.options(LocalDataCentre.FIRST);
  private final ActiveSnapshots active = new ActiveSnapshots(() -> 0, Long.MAX_VALUE);
  private final LossyDirectory checkpoints = new LossyDirectory();
  private LossySegments files = new LossySegments();

  /** That many milliseconds after a time one second ago. */
  private static VectorClock at(int millis) {
    return VectorClock.of(Timestamp.of(Timestamp.countAt(NOW.toEpochMilli() - 1_000 + millis), 0));
  }

  /** A replica has applied a record in which a leader announces its checkpoint. */
  private void announced(VectorClock at, VectorClock frontier, VectorClock low) {
    PartitionLog log = PartitionLog.follow(options, files, new LossyDirectory(), () -> {});
    CheckpointRecord told = new CheckpointRecord(at, frontier, low, at, 1, 1);
    log.journal().append(new SavedRecord(RecordKind.CHECKPOINT, told.encode()));
    log.journal().flushGroup();
    files = files.afterKill();
  }

  private PartitionLog applied() {
    PartitionLog log = PartitionLog.follow(options, files, checkpoints, () -> {});
    assertThat(log.applyBelow(log.journal().nextRecord(), Long.MAX_VALUE, System::nanoTime))
        .isTrue();
    return log;
  }

  /** A replica leads. */
  private Partition lead() {
    PartitionLog log = applied();
    log.journal().setReplicas(new OnlyVoter());
    HybridClock clock = new HybridClock(new MachineClock(() -> NOW, () -> 0, Duration.ofDays(1)));
    return Partition.of(
        options, PartitionContext.builder(1, clock, active, (to, message) -> {}).build(), log);
  }

  /** The announcement that the next leader knows, which has fetched the checkpoints. */
  private CheckpointRecord lastAnnounced() {
    files = files.afterKill();
    return applied().state().announced().orElseThrow();
  }

  private static CompletableFuture<VectorClock> commit(Partition leading, VectorClock snapshot) {
    CommitRequest.Part part = TestWrites.part(GeneratedPartition.KEYS.get(0).increment(), snapshot);
    CompletableFuture<VectorClock> committed =
        leading
            .commitAsync(
                CommitRequest.of(part, TransactionMetadata.of(Optional.empty())), Runnable::run)
            .toCompletableFuture();
    leading.flushGroup();
    return committed;
  }

  @Test
  void theNextCheckpointIsPrunedNoLessThoughAnOlderTransactionIsOpen() {
    announced(at(10), at(8), at(5));
    Partition leading = lead();
    active.register(at(6));
    VectorClock committed = commit(leading, at(9)).join();

    assertThat(leading.maintain()).isEmpty();

    try (var view = leading.checkpoints()) {
      assertThat(view.checkpoints().get(0).pruneFrontier()).isEqualTo(at(8));
    }
    CheckpointRecord last = lastAnnounced();
    assertThat(last.at()).isEqualTo(committed);
    assertThat(last.frontier()).isEqualTo(at(8));
    assertThat(last.low()).isEqualTo(at(5));
    assertThatThrownBy(() -> commit(lead(), at(7))).isInstanceOf(TransactionExpiredException.class);
  }

  @Test
  void announcesEachCheckpointOnce() {
    announced(at(10), at(8), at(5));
    Partition leading = lead();
    active.register(at(6));
    commit(leading, at(9)).join();
    assertThat(leading.maintain()).isEmpty();
    leading.flushGroup();
    long next = leading.journalStatus().nextRecord();

    assertThat(leading.maintain()).isEmpty();
    leading.flushGroup();

    assertThat(leading.journalStatus().nextRecord()).isEqualTo(next);
  }

  /** A leader that was deposed before it could announce its truncation made it here. */
  @Test
  void announcingAnOlderLocalCheckpointReversesNothing() throws IOException {
    announced(at(10), at(6), at(5));
    PartitionLog log = PartitionLog.follow(options, new LossySegments(), checkpoints, () -> {});
    Checkpoint own = new Checkpoint(at(7), at(3), 0, at(7));
    try (RunWriter writer = log.checkpoints().beginRun(own, new byte[0])) {
      ManifestFile run = writer.finish();
      log.checkpoints().commit(change -> change.addRun(run).lowWatermark(at(7)));
    }
    log.close();

    lead().flushGroup();

    CheckpointRecord last = lastAnnounced();
    assertThat(last.at()).isEqualTo(at(10));
    assertThat(last.frontier()).isEqualTo(at(6));
    assertThat(last.low()).isEqualTo(at(7));
  }
}
