package io.github.stablecut.internal.replica;

import io.github.stablecut.journal.LogSpace;

/**
 * A leader's view of one follower or learner: what it has, and which group is in flight. Confined
 * to the lock of its {@link LogReplicator}.
 */
final class FollowerProgress {
  /**
   * Records are no longer retained for a replica without progress for this time; it fetches a
   * checkpoint later.
   */
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  /** The number of the next record to send. */
  private long next;

  /** All records below it are acknowledged in this epoch; 0 if unknown. */
  private long held;

  /** Whether it has acknowledged the header of this epoch. */
  private boolean isInEpoch;

  private boolean isUnderWay;

  /** The number after the last record of the group in flight. */
  private long end;

  private long sent;

  /** The disk space that it reported last. */
  private LogSpace room = LogSpace.ENOUGH;

  /** The oldest record that its log has or, if empty, would have; 0 if unknown. */
  private long oldest;

  /** Whether it needs records that the leader has already dropped. */
  private boolean isFarBehind;

  /** The record at which it resumes after fetching a checkpoint; 0 if it is not fetching one. */
  private long reserved;

  /** When it last made progress or was up to date. */
  private long progressed;

  /**
   * A follower of which nothing is known yet.
   *
   * @param next the number of the first record to send
   */
  FollowerProgress(long next, long now) {
    this.next = next;
    this.progressed = now;
  }

  /** The number of the next record to send. */
  long next() {
    return next;
  }

  /** All records below it are acknowledged in this epoch; 0 if unknown. */
  long held() {
    return held;
  }

  LogSpace room() {
    return room;
  }

  boolean isFarBehind() {
    return isFarBehind;
  }

  boolean isUnderWay() {
    return isUnderWay;
  }

  /** Whether no group is in flight and its disk has space. */
  boolean isFree() {
    return !isUnderWay && room != LogSpace.NONE;
  }

  /** Whether it has yet to acknowledge, in this epoch, some record below a number. */
  boolean lacks(long number) {
    return next < number || !isInEpoch;
  }

  /** Whether it has acknowledged, in this epoch, all records below a number. */
  boolean hasInEpoch(long number) {
    return isInEpoch && held >= number;
  }

  /** Whether its log begins, or would begin, with the given record number. */
  boolean beginsWith(long number) {
    return oldest == number;
  }

  /** Whether the group in flight has been unanswered for at least {@code nanos}. */
  boolean hasWaited(long nanos, long now) {
    return now - sent >= nanos;
  }

  /** Notes that this many records were sent. */
  void sent(int records, long now) {
    isFarBehind = false;
    isUnderWay = true;
    end = next + records;
    sent = now;
  }

  /** The message in flight was dropped or answered. */
  void nothingIsUnderWay() {
    isUnderWay = false;
  }

  /** The records that it needs were dropped at the leader. */
  void fellBehind() {
    isFarBehind = true;
    isUnderWay = false;
  }

  /**
   * It requests a checkpoint or a chunk of one.
   *
   * @param begins whether it requests the list of files
   * @param first the oldest record that the leader has
   */
  void fetches(boolean begins, long first, long now) {
    // A replica that keeps restarting the fetch, because it can't store the checkpoint, makes no
    // progress.
    if (!begins || reserved == 0) {
      progressed = now;
    }
    if (begins) {
      reserved = first;
    }
  }

  /**
   * Its log equals the leader's below a number.
   *
   * @param committed all records below it are committed
   */
  void acknowledged(ReplicaMessage.Acknowledged message, long committed, long now) {
    // A group that was resent is acknowledged twice; the second acknowledgement does not answer the
    // next group.
    isUnderWay &= message.next() < end && message.room() != LogSpace.NONE;
    if (message.next() > next) {
      progressed = now;
    }
    next = Math.max(next, message.next());
    if (message.isInEpoch()) {
      isInEpoch = true;
      if (message.next() > held || held >= committed) {
        progressed = now;
      }
      held = Math.max(held, message.next());
      reserved = 0;
    }
    room = message.room();
  }

  /** Its log does not match the leader's before the group. */
  void differs(long itsOldest) {
    isUnderWay = false;
    oldest = itsOldest;
  }

  /** Discards its acknowledgements: it no longer has the records. */
  void beginsAnew() {
    held = 0;
    isInEpoch = false;
  }

  /**
   * Sends from the last record at which both logs agree, unless it had acknowledged more: then its
   * disk was restored to an older state.
   *
   * @return false if it had acknowledged more
   */
  boolean goesBack(long agreed) {
    if (agreed < held) {
      return false;
    }
    next = agreed;
    return true;
  }

  /** The oldest record to retain for it; {@link Long#MAX_VALUE} for none. */
  long needed(long now) {
    if (now - progressed > PATIENCE_NANOS) {
      return Long.MAX_VALUE;
    }
    // Its log in this epoch is unknown at first.
    return reserved > 0 ? reserved : Math.max(1, held);
  }
}
