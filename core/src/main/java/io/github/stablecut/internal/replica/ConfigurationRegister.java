package io.github.stablecut.internal.replica;

import java.util.concurrent.CompletionStage;

/**
 * The configurations of all partitions, agreed between the nodes. Linearizable, durable, and
 * available while a majority of the register's nodes is. Thread-safe.
 */
public interface ConfigurationRegister {
  /**
   * Reads the current configuration of a partition. The result reflects every configuration agreed
   * before the call.
   *
   * @return completes exceptionally if the register does not answer in time
   */
  CompletionStage<Configuration> read(int partition);

  /**
   * Replaces the configuration of a partition if its epoch directly precedes the new one's.
   *
   * @return whether this call, or an earlier execution of it, replaced the configuration; completes
   *     exceptionally if the outcome is unknown
   */
  CompletionStage<Boolean> replace(int partition, Configuration next);
}
