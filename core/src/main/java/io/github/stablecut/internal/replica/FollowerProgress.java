package io.github.stablecut.internal.replica;

import io.github.stablecut.journal.LogSpace;

/**
 * What a leader knows of another voter, or of a learner, and what is on its way to it. Confined to
 * the lock of its {@link LogReplicator}.
 */
final class FollowerProgress {
  /** For a copy that takes nothing for so long nothing is kept: it gets a checkpoint later. */
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private long next;
  private long held;
  private boolean isInEpoch;
  private boolean isUnderWay;

  /** The number behind the last record of the group that is under way. */
  private long end;

  private long sent;

  /** What it has said last of its disk. */
  private LogSpace room = LogSpace.ENOUGH;

  /** The oldest record that it has, or would have; 0 if that is not known. */
  private long oldest;

  /** Whether it lacks what was dropped here. */
  private boolean isFarBehind;

  /** It goes on here when it has fetched a checkpoint; 0 if it does not fetch one. */
  private long reserved;

  /** When it had last taken something, or had everything. */
  private long progressed;

  /** One of which nothing is known; it is sent a number first. */
  FollowerProgress(long next, long now) {
    this.next = next;
    this.progressed = now;
  }

  /** The number that is sent next. */
  long next() {
    return next;
  }

  /** Below which number it has everything, in this epoch; 0 if that is not known. */
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

  /** Whether nothing is under way, and it may take something. */
  boolean isFree() {
    return !isUnderWay && room != LogSpace.NONE;
  }

  /** Whether it has not acknowledged all below a number in this epoch. */
  boolean lacks(long number) {
    return next < number || !isInEpoch;
  }

  /** Whether it has all below a number, in this epoch. */
  boolean hasInEpoch(long number) {
    return isInEpoch && held >= number;
  }

  /** Whether the log that it has, or would have, begins with a number. */
  boolean beginsWith(long number) {
    return oldest == number;
  }

  /** Whether what is under way is so for some time. */
  boolean hasWaited(long nanos, long now) {
    return now - sent >= nanos;
  }

  /** So many records are on their way to it. */
  void sent(int records, long now) {
    isFarBehind = false;
    isUnderWay = true;
    end = next + records;
    sent = now;
  }

  /** What was under way was dropped, or answered. */
  void nothingIsUnderWay() {
    isUnderWay = false;
  }

  /** What it needs was dropped here. */
  void fellBehind() {
    isFarBehind = true;
    isUnderWay = false;
  }

  /**
   * It fetches a checkpoint.
   *
   * @param begins whether it asks what that consists of
   * @param first the oldest record that is here
   */
  void fetches(boolean begins, long first, long now) {
    // Who begins again and again, because it can't store one, comes no further by that.
    if (!begins || reserved == 0) {
      progressed = now;
    }
    if (begins) {
      reserved = first;
    }
  }

  /**
   * It has the leader's log below a number.
   *
   * @param committed all records below it are committed
   */
  void acknowledged(ReplicaMessage.Acknowledged message, long committed, long now) {
    // One that was repeated is acknowledged twice: the later one says nothing of the next group.
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

  /** It does not have what comes before a group. */
  void differs(long itsOldest) {
    isUnderWay = false;
    oldest = itsOldest;
  }

  /** It has nothing of what it had acknowledged. */
  void beginsAnew() {
    held = 0;
    isInEpoch = false;
  }

  /**
   * Is sent what follows the last record at which both logs agree, unless it had acknowledged more:
   * then its disk is an older one.
   *
   * @return whether it is
   */
  boolean goesBack(long agreed) {
    if (agreed < held) {
      return false;
    }
    next = agreed;
    return true;
  }

  /** The oldest record that has to be kept for it; the largest number if none has. */
  long needed(long now) {
    if (now - progressed > PATIENCE_NANOS) {
      return Long.MAX_VALUE;
    }
    // What it has in this epoch is not known at first.
    return reserved > 0 ? reserved : Math.max(1, held);
  }
}
