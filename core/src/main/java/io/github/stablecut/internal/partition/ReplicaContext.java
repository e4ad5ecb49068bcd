package io.github.stablecut.internal.partition;

import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.journal.SegmentStore;

/** What a copy uses of its node. */
public interface ReplicaContext {
  /** The journal's files, opened anew. */
  SegmentStore journal();

  /** The checkpoints' files. */
  Directory checkpoints();

  /** A directory for a checkpoint of another copy, emptied. */
  Directory incoming();

  /** Deletes what came there: it is not used. */
  void dropIncoming();

  /**
   * Puts what came there in the place of the checkpoints and of the journal, which begins anew:
   * durably, and all at once, whatever happens meanwhile. Both are closed.
   *
   * @param first the number of the first record that the journal will have
   * @param epoch that of the layout in which it goes on
   */
  void install(long first, long epoch);

  /** How fast time passes. */
  default ReplicaTiming clock() {
    return ReplicaTiming.REAL;
  }

  /** Sends a message to the copy on another node; it may be lost. Never waits. */
  void send(String to, ReplicaMessage message);

  /** As {@link io.github.stablecut.internal.replica.ReplicaHost#isSending}. */
  default boolean isSending(String to) {
    return false;
  }

  /** What the partition needs in an epoch in which it leads. */
  PartitionContext context(long epoch);

  /** The partition serves in an epoch. On the copy's thread, so it returns soon. */
  void leads(Partition partition, long epoch);

  /**
   * The copy leads, and is to have another one lead: calls {@link PartitionReplica#giveWay}, on
   * another thread. Called again until then.
   *
   * @param node whose copy is to lead
   */
  void leave(String node);

  /**
   * A partition does not serve any more, and is closed when this has returned. Called again for it,
   * perhaps when a later one serves already.
   */
  void follows(Partition led);
}
