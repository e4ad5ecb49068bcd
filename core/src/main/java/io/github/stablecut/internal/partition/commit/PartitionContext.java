package io.github.stablecut.internal.partition.commit;

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
  /**
   * Creates the context for partitions of a single process, without transactions of other nodes.
   *
   * @param shared lowers a vector, in the entries of other data centres, to what all partitions
   *     have
   */
  public PartitionContext(
      long epoch,
      HybridClock clock,
      ActiveSnapshots active,
      UnaryOperator<VectorClock> shared,
      UnaryOperator<VectorClock> recorded,
      Set<Integer> otherDataCentres,
      Message.Transport transport,
      LongSupplier nanoTime) {
    this(epoch, clock, active, shared, shared, recorded, otherDataCentres, transport, nanoTime);
  }

  /** Creates the context for a partition that only this process reads. */
  public static PartitionContext alone(
      long epoch, HybridClock clock, ActiveSnapshots active, Message.Transport transport) {
    return new PartitionContext(
        epoch,
        clock,
        active,
        UnaryOperator.identity(),
        UnaryOperator.identity(),
        Set.of(),
        transport,
        System::nanoTime);
  }
}
