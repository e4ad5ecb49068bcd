package io.github.stablecut.internal.partition.replicated;

import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.journal.segment.SegmentStore;

/** The parts of a node that its replicas use. */
public interface ReplicaContext {
  /** Opens the journal's files. */
  SegmentStore journal();

  /** The checkpoints' files. */
  Directory checkpoints();

  /** Empties and returns the directory for a checkpoint fetched from another replica. */
  Directory incoming();

  /** Deletes the fetched checkpoint. */
  void dropIncoming();

  /**
   * Replaces the checkpoints by the fetched one, and the journal by an empty one, durably and
   * atomically. Both must be closed.
   *
   * @param first the number of the first record that the journal will have
   * @param epoch the epoch of that record
   */
  void install(long first, long epoch);

  /** The clock of the replica. */
  default ReplicaTiming clock() {
    return ReplicaTiming.REAL;
  }

  /** Returns the execution of the replica. */
  default ReplicaExecution execution() {
    return ReplicaExecution.THREADS;
  }

  /** Sends a message to the replica on another node; it may be lost. Never blocks. */
  void send(String to, ReplicaMessage message);

  /** Like {@link io.github.stablecut.internal.replica.ReplicaHost#isSending}. */
  default boolean isSending(String to) {
    return false;
  }

  /** The partition's context in an epoch that this replica leads. */
  PartitionContext context(long epoch);

  /**
   * The partition starts to serve in an epoch. Called on the replica's thread, so it must return
   * soon.
   */
  void leads(Partition partition, long epoch);

  /**
   * The leader is to transfer its leadership: calls {@link PartitionReplica#giveWay} on another
   * thread. Called again until then.
   *
   * @param node the node whose replica is to lead
   */
  void leave(String node);

  /**
   * A partition stops serving; it is closed after this returns. May be called again for it, even
   * after a later one has started to serve.
   */
  void follows(Partition led);
}
