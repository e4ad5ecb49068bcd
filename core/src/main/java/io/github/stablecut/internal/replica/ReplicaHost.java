package io.github.stablecut.internal.replica;

/** What a copy asks of whoever runs it. Called on the copy's thread, except {@link #send}. */
public interface ReplicaHost {
  /** Sends a message to another copy; it may be lost. Thread-safe, and never waits. */
  void send(String to, ReplicaMessage message);

  /**
   * Whether a large message to another copy is still on its way to the network, so that another one
   * would be dropped. Does not wait.
   */
  default boolean isSending(String to) {
    return false;
  }

  /**
   * Reads the register, and hands the answer to {@link Replica#learned}, or calls {@link
   * Replica#unanswered}. Does not wait.
   */
  void read();

  /** Asks the register for a layout, and hands the answer to {@link Replica#replaced}. Likewise. */
  void replace(Configuration next);

  /** The records below a number are committed: they never change again. */
  void committed(long next);

  /**
   * The records below a number are committed, and to be applied before the copy leads. Takes a
   * moment at most: what is left then is applied between other events, until {@link
   * Replica#applied}.
   *
   * @return whether all are applied
   */
  boolean apply(long next);

  /** The copy begins to lead: all records that are in its log now are committed, and applied. */
  void lead(Configuration configuration, LogReplicator replicator);

  /**
   * The copy leads, and is to have another one lead: {@link Replica#giveWay} is to be called once
   * its log takes nothing any more. Does not wait. Called again until then.
   *
   * @param node whose copy is to lead
   */
  void leave(String node);

  /** Whether the voters may change while the copy leads: those there are know what they have to. */
  boolean mayChangeVoters();

  /**
   * A leader has dropped records that this copy lacks: it is to get a checkpoint from it, if it
   * does not already, and to be opened again with that, and without its log, if {@link
   * Replica#mayReplace} says so then. Does not wait.
   *
   * @param end where the log ends
   */
  void fetch(String leader, long epoch, LogEnd end);

  /** A copy asks for a part of a checkpoint, while this one leads or is about to. */
  void serve(String to, ReplicaMessage.Fetch asked);

  /** The leader of an epoch that counts has told of its checkpoint. */
  void fetched(String from, ReplicaMessage.Files files);

  /** Likewise, a part of it has come. */
  void fetched(String from, ReplicaMessage.Part part);

  /**
   * The time up to which every commit, now and for ever, is in records that {@link
   * LogReplicator#committed} names from now on; 0 if none is known, as before the copy leads. A
   * time not long ago, unless something before it is undecided. Does not wait.
   */
  long passTime();

  /**
   * Every commit up to a time is in the records below a number, which are committed, and may not be
   * here yet.
   */
  void complete(long time, long next);

  /**
   * The copy does not lead any more.
   *
   * @return whether nobody appends to its log from now on, so that it can follow; false if it is
   *     about to end, and what it has led may still be writing
   */
  boolean follow();
}
