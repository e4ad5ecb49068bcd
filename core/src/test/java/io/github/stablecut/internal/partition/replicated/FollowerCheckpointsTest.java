package io.github.stablecut.internal.partition.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.internal.partition.GeneratedPartition;
import io.github.stablecut.internal.partition.commit.PartitionLog;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.partition.commit.SavedRecord;
import io.github.stablecut.internal.record.CheckpointRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.journal.testing.LossySegments;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The checkpoints that a replica makes while it follows. */
final class FollowerCheckpointsTest {
  /** After all commits and the expiry of all sessions. */
  private static final long LATER =
      Timestamp.of(Timestamp.countAt(Instant.parse("2026-12-24T12:00:00Z").toEpochMilli()), 0);

  private static final VectorClock AT = VectorClock.ofEntries(LATER, LATER, LATER);

  private final PartitionOptions options = GeneratedPartition.options(LocalDataCentre.FIRST);
  private final PartitionLog log = follow();
  private final FollowerCheckpoints followed =
      new FollowerCheckpoints(options, log, new ReplicaTiming(100), ReplicaExecution.THREADS);

  /** A replica that has applied a leader's records, including one about a checkpoint. */
  private PartitionLog follow() {
    LossySegments files = new LossySegments();
    GeneratedPartition lived =
        new GeneratedPartition(new Random(7), LocalDataCentre.FIRST, files, 1);
    for (int step = 0; step < 300; step++) {
      lived.step();
    }
    lived.flush();
    CheckpointRecord told = new CheckpointRecord(AT, VectorClock.ZERO, AT, AT, 1, LATER);
    lived.committer().record(new SavedRecord(RecordKind.CHECKPOINT, told.encode()));
    PartitionLog replica =
        PartitionLog.follow(options, files.afterKill(), new LossyDirectory(), () -> {});
    assertThat(replica.applyBelow(replica.journal().nextRecord(), Long.MAX_VALUE, System::nanoTime))
        .isTrue();
    assertThat(replica.state().finished().size()).isPositive();
    assertThat(replica.state().sessions().size()).isPositive();
    return replica;
  }

  @AfterEach
  void close() {
    followed.close();
    log.close();
  }

  private boolean isMade() {
    followed.look();
    return log.checkpoints().status().manifest().checkpointTime().equals(AT);
  }

  private static void until(BooleanSupplier condition) {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void removesFinishedTransactionsAndExpiredSessions() {
    until(this::isMade);

    until(
        () -> {
          followed.look();
          return log.state().finished().size() == 0;
        });
    assertThat(log.state().sessions().size()).isZero();
  }

  /** It campaigned, and another replica leads. */
  @Test
  void resumesCheckpointsAfterALostCampaign() {
    followed.abandon();

    until(this::isMade);
  }
}
