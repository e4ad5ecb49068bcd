package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The snapshots of other nodes stay active while their leases are renewed. */
class SnapshotLeasesTest {
  private final AtomicLong now = new AtomicLong();
  private final ActiveSnapshots active = new ActiveSnapshots(now::get, Long.MAX_VALUE);
  private final SnapshotLeases leases = new SnapshotLeases(active, now::get);
  @TempDir private Path directory;
  private Partition partition;

  @BeforeEach
  void open() throws IOException {
    partition = TestOwner.partition(directory, StoreOptions.defaults(), active, 1);
  }

  @AfterEach
  void close() {
    partition.close();
  }

  private void hold(long lease) {
    leases.hold(partition, new Request.HoldLease(lease, partition.stable()));
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
    leases.tick();
  }

  @Test
  void aRenewalAfterItsReleaseDoesNotRestoreTheLease() {
    hold(1);
    hold(2);
    assertThat(active.count()).isEqualTo(2);

    leases.release(1);
    hold(1);
    leases.release(3);
    pass(Duration.ofSeconds(5));
    hold(3);

    assertThat(active.count()).as("only the one that was not released").isEqualTo(1);
  }

  @Test
  void holdsALeaseWhileItIsRenewed() {
    hold(1);
    pass(Duration.ofSeconds(50));
    hold(1);
    pass(Duration.ofSeconds(50));
    assertThat(active.count()).isEqualTo(1);

    pass(Duration.ofSeconds(11));

    assertThat(active.count()).isZero();
  }

  @Test
  void forgetsReleasedLeasesInTime() {
    leases.release(1);
    pass(Duration.ofSeconds(11));

    hold(1);

    assertThat(active.count()).isEqualTo(1);
  }

  @Test
  void anOpenedPartitionPrunesNothingBeforeItsLeasesAreRenewed() {
    VectorClock newest = VectorClock.of(100);
    pass(Duration.ofSeconds(1));
    UnaryOperator<VectorClock> limit =
        SnapshotLeases.fromOpening(vector -> vector.meet(VectorClock.of(50)), now::get);
    pass(Duration.ofMinutes(5));

    assertThat(limit.apply(newest)).isEqualTo(VectorClock.ZERO);
    pass(Duration.ofNanos(SnapshotLeases.UNKNOWN_NANOS - 1));
    assertThat(limit.apply(newest)).isEqualTo(VectorClock.ZERO);
    pass(Duration.ofNanos(1));
    assertThat(limit.apply(newest)).isEqualTo(VectorClock.of(50));
  }
}
