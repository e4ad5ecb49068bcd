package io.github.stablecut.internal.truncation;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.materializer.Materializer;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.option.CheckpointPolicy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The parameters of the {@link Maintenance} of a partition. Immutable.
 *
 * @param components the components that it works on
 */
public record MaintenanceSetup(Components components, Times times, Needs needs, Settings settings) {
  /** The components of a partition that maintenance works on. */
  public record Components(
      ObjectIndex index,
      Materializer materializer,
      CheckpointStore checkpoints,
      Journal journal,
      SegmentTimes segments,
      Horizon horizon) {}

  /**
   * The sources of times.
   *
   * @param lastDurable the vector of the last durable commit, of others as far as restarts know
   * @param clockCeiling a time above all that the clock may have reported
   * @param watermarks computes the watermarks, and checks their invariants
   * @param last the last durable transaction of each data centre, for a checkpoint at a vector
   * @param pruneLimit lowers a frontier to what all later transactions of other data centres have
   *     seen
   * @param machine the machine's clock
   */
  public record Times(
      Supplier<VectorClock> lastDurable,
      UnaryOperator<VectorClock> last,
      UnaryOperator<VectorClock> pruneLimit,
      LongSupplier clockCeiling,
      Supplier<Watermarks> watermarks,
      InstantSource machine) {}

  /**
   * The records that the journal has to keep besides the commits that are in no checkpoint.
   *
   * @param oldestNeeded the position of the oldest record of an unfinished transaction, or {@link
   *     Long#MAX_VALUE}
   * @param save rewrites records that are spread over segments about to be dropped; receives the
   *     new low watermark
   * @param limit lowers a vector to what other data centres have: the rest is kept for them
   */
  public record Needs(
      LongSupplier oldestNeeded, Consumer<VectorClock> save, UnaryOperator<VectorClock> limit) {}

  /**
   * The settings.
   *
   * @param partition the partition's number, a suffix of the threads' names
   * @param longestWait how long a writer waits before it is refused
   * @param heapBytes the memory that all partitions of the process share
   * @param faults records the errors that the threads survive
   */
  public record Settings(
      int partition,
      CheckpointPolicy policy,
      Duration longestWait,
      long heapBytes,
      FaultLog faults) {}
}
