package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * What a partition shares with the others of its process.
 *
 * @param epoch above that of all earlier openings of the partition
 * @param clock of the process
 * @param active the snapshots that are claimed
 * @param elsewhere lowers a vector to what transactions that began on other nodes may still need
 * @param transport the way to other partitions
 * @param nanoTime a monotonic clock, in nanoseconds
 */
public record Surroundings(
    long epoch,
    HybridClock clock,
    ActiveSnapshots active,
    UnaryOperator<VectorClock> elsewhere,
    Message.Transport transport,
    LongSupplier nanoTime) {
  /** Of a store that is in one process: nobody else has a snapshot of it. */
  public static Surroundings alone(
      long epoch, HybridClock clock, ActiveSnapshots active, Message.Transport transport) {
    return new Surroundings(
        epoch, clock, active, UnaryOperator.identity(), transport, System::nanoTime);
  }
}
