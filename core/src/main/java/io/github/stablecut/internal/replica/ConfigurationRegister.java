package io.github.stablecut.internal.replica;

import java.util.concurrent.CompletionStage;

/**
 * The layouts of all partitions, on which the nodes agree: linearizable, durable, and available
 * while a majority of the nodes that keep it is. Thread-safe.
 */
public interface ConfigurationRegister {
  /**
   * The layout of a partition now: what was agreed before the call is in it.
   *
   * @return completes exceptionally if that can't be found out in time
   */
  CompletionStage<Configuration> read(int partition);

  /**
   * Replaces the layout of a partition if it has still the epoch before the new one's.
   *
   * @return whether it was replaced by this call, or had been by an earlier execution of it;
   *     completes exceptionally if nobody knows
   */
  CompletionStage<Boolean> replace(int partition, Configuration next);
}
