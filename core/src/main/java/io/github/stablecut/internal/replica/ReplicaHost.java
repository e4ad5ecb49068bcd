package io.github.stablecut.internal.replica;

/** The environment of a replica. Called on the replica's thread, except {@link #send}. */
public interface ReplicaHost {
  /** Sends a message to another replica; it may be lost. Thread-safe, and never blocks. */
  void send(String to, ReplicaMessage message);

  /**
   * Whether a large message to another replica is still queued for the network, so that another one
   * would be dropped. Does not block.
   */
  default boolean isSending(String to) {
    return false;
  }

  /**
   * Reads the register and passes the answer to {@link Replica#configurationRead}, or calls {@link
   * Replica#registerFailed}. Does not block.
   */
  void readConfiguration();

  /**
   * Asks the register to replace the configuration and passes the answer to {@link
   * Replica#replaced}, or calls {@link Replica#registerFailed}. Does not block.
   */
  void replaceConfiguration(Configuration next);

  /** The records below a number are committed, so they never change. */
  void committed(long next);

  /**
   * Applies the records below a number, which are committed, before the replica leads. Takes a
   * short time at most: remaining records are applied between other events, each followed by {@link
   * Replica#applied}.
   *
   * @return whether all are applied
   */
  boolean apply(long next);

  /** The replica starts to lead: all records in its log are committed and applied. */
  void lead(Configuration configuration, LogReplicator replicator);

  /**
   * The leader is to transfer its leadership: call {@link Replica#transferLeadershipTo} once its
   * log accepts no more records. Does not block. Called again until then.
   *
   * @param node the node whose replica is to lead
   */
  void requestTransfer(String node);

  /** Whether the leader may change the voters: the present ones know what they need to. */
  boolean mayChangeVoters();

  /**
   * The leader has dropped records that this replica lacks. Fetches a checkpoint from it, unless a
   * fetch is running, then reopens the replica with that checkpoint and without its log, if {@link
   * Replica#mayReplace} still permits that. Does not block.
   *
   * @param end the end of the log
   */
  void fetchCheckpoint(String leader, long epoch, LogEnd end);

  /**
   * Serves a replica's request for a part of a checkpoint, while this replica leads or is about to.
   */
  void serveCheckpoint(String to, ReplicaMessage.CheckpointRequest request);

  /** The leader of a current epoch listed the files of its checkpoint. */
  void checkpointReceived(String from, ReplicaMessage.CheckpointListing files);

  /** The leader of a current epoch sent a part of its checkpoint. */
  void checkpointReceived(String from, ReplicaMessage.FileChunk part);

  /**
   * A time up to which every commit, present or future, is in records below {@link
   * LogReplicator#committed} as read afterwards; 0 if none is known, as before the replica leads.
   * The time is recent, unless an earlier transaction is undecided. Does not block.
   */
  long completeTime();

  /**
   * Every commit up to a time is in the records below a number; these are committed, but may be
   * missing here.
   */
  void complete(long time, long next);

  /**
   * The replica has stepped down.
   *
   * @return true if nothing appends to its log from now on, so that it can follow; false if it is
   *     closing and writes of its leadership may still be in progress
   */
  boolean stopLeading();
}
