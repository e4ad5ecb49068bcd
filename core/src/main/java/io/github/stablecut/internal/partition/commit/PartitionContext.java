package io.github.stablecut.internal.partition.commit;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.partition.PartitionStreams;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * The parts of a process that its partitions share.
 *
 * @param epoch above that of all earlier openings of the partition
 * @param clock the clock of the process
 * @param active the active snapshots
 * @param elsewhere lowers a vector to the snapshots that transactions of other nodes may need
 * @param shared lowers a vector, in the entries of other data centres, to what all partitions have
 * @param recorded lowers a vector, in the entries of other data centres, to what all partitions
 *     have even after a restart ({@link PartitionStreams#recorded})
 * @param otherDataCentres the numbers of the other data centres that have a peer of the partition
 * @param transport sends messages to other partitions
 * @param nanoTime a monotonic clock, in nanoseconds
 */
public record PartitionContext(
    long epoch,
    HybridClock clock,
    ActiveSnapshots active,
    UnaryOperator<VectorClock> elsewhere,
    UnaryOperator<VectorClock> shared,
    UnaryOperator<VectorClock> recorded,
    Set<Integer> otherDataCentres,
    Message.Transport transport,
    LongSupplier nanoTime) {
  /** Starts the context of a partition that only this process reads. */
  public static Builder builder(
      long epoch, HybridClock clock, ActiveSnapshots active, Message.Transport transport) {
    return new Builder(epoch, clock, active, transport);
  }

  /**
   * Builds a {@link PartitionContext}. Its methods set the components of the same names; without
   * them, nothing lowers a vector, there are no other data centres, and the clock is the machine's.
   * Not thread-safe.
   */
  public static final class Builder {
    private final long epoch;
    private final HybridClock clock;
    private final ActiveSnapshots active;
    private final Message.Transport transport;
    private UnaryOperator<VectorClock> elsewhere = UnaryOperator.identity();
    private UnaryOperator<VectorClock> shared = UnaryOperator.identity();
    private UnaryOperator<VectorClock> recorded = UnaryOperator.identity();
    private Set<Integer> otherDataCentres = Set.of();
    private LongSupplier nanoTime = System::nanoTime;

    private Builder(
        long epoch, HybridClock clock, ActiveSnapshots active, Message.Transport transport) {
      this.epoch = epoch;
      this.clock = clock;
      this.active = active;
      this.transport = transport;
    }

    @CanIgnoreReturnValue
    public Builder elsewhere(UnaryOperator<VectorClock> elsewhere) {
      this.elsewhere = elsewhere;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder shared(UnaryOperator<VectorClock> shared) {
      this.shared = shared;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder recorded(UnaryOperator<VectorClock> recorded) {
      this.recorded = recorded;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder otherDataCentres(Set<Integer> otherDataCentres) {
      this.otherDataCentres = otherDataCentres;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder nanoTime(LongSupplier nanoTime) {
      this.nanoTime = nanoTime;
      return this;
    }

    public PartitionContext build() {
      return new PartitionContext(
          epoch, clock, active, elsewhere, shared, recorded, otherDataCentres, transport, nanoTime);
    }
  }
}
