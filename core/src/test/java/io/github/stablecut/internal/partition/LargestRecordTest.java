package io.github.stablecut.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.clock.MachineClock;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.PartitionLog;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.journal.testing.LossySegments;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A leader does not order a record that is too large for the other replicas of its partition. */
final class LargestRecordTest {
  private static final RegisterKey<Bytes> REGISTER = Key.register("b", "r", Codec.bytes());
  private static final int LARGEST = 10_000;

  private final PartitionOptions options = GeneratedPartition.options(LocalDataCentre.FIRST);

  private Partition lead() {
    PartitionLog log =
        PartitionLog.follow(options, new LossySegments(), new LossyDirectory(), () -> {});
    log.journal().setReplicas(new OnlyVoter(LARGEST));
    HybridClock clock =
        new HybridClock(
            new MachineClock(
                () -> Instant.parse("2026-11-20T12:00:00Z"), () -> 0, Duration.ofDays(1)));
    ActiveSnapshots active = new ActiveSnapshots(() -> 0, Long.MAX_VALUE);
    return Partition.of(
        options, PartitionContext.builder(1, clock, active, (to, message) -> {}).build(), log);
  }

  private static VectorClock commit(Partition leading, int bytes) {
    CommitRequest.Part part =
        TestWrites.part(REGISTER.assign(Bytes.wrap(new byte[bytes])), leading.stable());
    CompletableFuture<VectorClock> committed =
        leading
            .commitAsync(CommitRequest.of(part, TransactionMetadata.none()), Runnable::run)
            .toCompletableFuture();
    leading.flushGroup();
    return committed.join();
  }

  @Test
  void refusesALargerOneAndOrdersTheNextOne() {
    Partition leading = lead();

    assertThatThrownBy(() -> commit(leading, LARGEST))
        .isInstanceOf(LimitExceededException.class)
        .hasMessageMatching(
            "a transaction takes 10,\\d+ bytes on a partition with replicas, and at most 10,000"
                + " are allowed.*");

    VectorClock committed = commit(leading, LARGEST / 2);
    assertThat(leading.stable()).isEqualTo(committed);
  }
}
