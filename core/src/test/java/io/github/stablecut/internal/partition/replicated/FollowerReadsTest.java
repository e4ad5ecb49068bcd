package io.github.stablecut.internal.partition.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.internal.partition.GeneratedPartition;
import io.github.stablecut.internal.partition.commit.PartitionLog;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.journal.testing.LossySegments;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** How long a read from a replica waits for its leader's messages. */
final class FollowerReadsTest {
  private static final Duration READ = Duration.ofSeconds(10);
  private static final long MILLI = 1_000_000;

  private long now;
  private int requests;

  private final FollowerReads reads =
      new FollowerReads(LocalDataCentre.FIRST, () -> 0, () -> requests++, this::later);

  /** Each reading of the clock takes a millisecond. */
  private long later() {
    now += MILLI;
    return now;
  }

  private void follow() {
    PartitionOptions options = GeneratedPartition.options(LocalDataCentre.FIRST);
    Horizon horizon =
        new Horizon(
            new ActiveSnapshots(() -> 0, Long.MAX_VALUE),
            at -> at,
            at -> at,
            at -> at,
            () -> {},
            VectorClock.ZERO);
    reads.follow(
        PartitionLog.follow(options, new LossySegments(), new LossyDirectory(), () -> {}), horizon);
    reads.reportComplete(7, 0);
    reads.applied(1);
  }

  private long nanosOf(OptionalLong expected) {
    long begun = now;
    assertThat(reads.near(0, READ.toNanos())).isEqualTo(expected);
    return now - begun;
  }

  @Test
  void aRecentMessageIsEnough() {
    follow();

    assertThat(nanosOf(OptionalLong.of(7))).isLessThan(10 * MILLI);
    assertThat(requests).isZero();
  }

  @Test
  void waitsForASilentLeaderOnceAndKeepsAsking() {
    follow();
    now += 500 * MILLI;
    assertThat(nanosOf(OptionalLong.of(7))).isBetween(1_000 * MILLI, 1_100 * MILLI);

    for (int i = 0; i < 100; i++) {
      int before = requests;
      now += 100 * MILLI;
      assertThat(nanosOf(OptionalLong.of(7))).isLessThan(10 * MILLI);
      assertThat(requests).isGreaterThan(before);
    }
    reads.reportComplete(9, 0);
    reads.applied(1);
    assertThat(nanosOf(OptionalLong.of(9))).isLessThan(10 * MILLI);
  }

  @Test
  void aLeaderThatWasNotAskedRecentlyIsNotSilent() {
    follow();
    now += 60_000 * MILLI;

    assertThat(nanosOf(OptionalLong.of(7))).isBetween(1_000 * MILLI, 1_100 * MILLI);
  }
}
