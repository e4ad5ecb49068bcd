package io.github.stablecut.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.checkpoint.RunWriter;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.clock.MachineClock;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.PartitionLog;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.journal.testing.LossySegments;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** A partition has a checkpoint from the time before it had replicas. */
final class FirstCheckpointTest {
  private final PartitionOptions options = GeneratedPartition.options(LocalDataCentre.FIRST);
  private final PartitionLog log =
      PartitionLog.follow(options, new LossySegments(), new LossyDirectory(), () -> {});

  private Partition led() {
    Instant now = Instant.parse("2026-11-20T12:00:00Z");
    HybridClock clock = new HybridClock(new MachineClock(() -> now, () -> 0, Duration.ofDays(1)));
    ActiveSnapshots active = new ActiveSnapshots(() -> 0, Long.MAX_VALUE);
    return Partition.of(
        options, PartitionContext.builder(1, clock, active, (to, message) -> {}).build(), log);
  }

  private void makeCheckpoint() throws IOException {
    try (RunWriter writer =
        log.checkpoints().beginRun(Checkpoint.of(VectorClock.of(7), 0), new byte[0])) {
      ManifestFile run = writer.finish();
      log.checkpoints().commit(change -> change.addRun(run));
    }
  }

  @Test
  void othersKnowOfItOnceItIsCommitted() throws IOException {
    makeCheckpoint();
    log.journal().setReplicas(new OnlyVoter());
    try (Partition led = led()) {
      assertThat(led.isAnnouncementCommitted()).isFalse();

      led.flushGroup();

      assertThat(led.isAnnouncementCommitted()).isTrue();
    }
  }

  @Test
  void aPartitionWithoutCheckpointNeedsNoAnnouncement() {
    log.journal().setReplicas(new OnlyVoter());
    try (Partition led = led()) {
      assertThat(led.isAnnouncementCommitted()).isTrue();
    }
  }
}
