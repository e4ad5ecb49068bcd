package io.github.stablecut.internal.replica;

import io.github.stablecut.journal.segment.LogSpace;

/**
 * A leader's view of one follower or learner: what it has, and which group is in flight. Confined
 * to the lock of its {@link LogReplicator}.
 */
final class FollowerProgress {
  /**
   * Records are no longer retained for a replica without progress for this time; it fetches a
   * checkpoint later.
   */
  private static final long RETENTION_NANOS = 60_000_000_000L;

  /** The number of the next record to send. */
  private long next;

  /** All records below it are acknowledged in this epoch; 0 if unknown. */
  private long acknowledgedBelow;

  /** Whether it has acknowledged the header of this epoch. */
  private boolean isInEpoch;

  private boolean isInFlight;

  /** The number after the last record of the group in flight. */
  private long inFlightEnd;

  private long sentAtNanos;

  /** The disk space that it reported last. */
  private LogSpace space = LogSpace.ENOUGH;

  /** The oldest record that its log has or, if empty, would have; 0 if unknown. */
  private long oldestRecord;

  /** Whether it needs records that the leader has already dropped. */
  private boolean isFarBehind;

  /** The record at which it resumes after fetching a checkpoint; 0 if it is not fetching one. */
  private long retainedFrom;

  /** The time at which the follower last made progress or was up to date. */
  private long progressAtNanos;

  /**
   * A follower of which nothing is known yet.
   *
   * @param next the number of the first record to send
   */
  FollowerProgress(long next, long nowNanos) {
    this.next = next;
    this.progressAtNanos = nowNanos;
  }

  /** The number of the next record to send. */
  long next() {
    return next;
  }

  /** All records below it are acknowledged in this epoch; 0 if unknown. */
  long acknowledgedBelow() {
    return acknowledgedBelow;
  }

  LogSpace space() {
    return space;
  }

  boolean isFarBehind() {
    return isFarBehind;
  }

  boolean isInFlight() {
    return isInFlight;
  }

  /** Whether no group is in flight and its disk has space. */
  boolean canSend() {
    return !isInFlight && space != LogSpace.NONE;
  }

  /** Whether it has yet to acknowledge, in this epoch, some record below a number. */
  boolean lacks(long number) {
    return next < number || !isInEpoch;
  }

  /** Whether it has acknowledged, in this epoch, all records below a number. */
  boolean hasAcknowledged(long number) {
    return isInEpoch && acknowledgedBelow >= number;
  }

  /** Whether its log begins, or would begin, with the given record number. */
  boolean startsAt(long number) {
    return oldestRecord == number;
  }

  /** Whether the group in flight has been unanswered for at least {@code nanos}. */
  boolean isOverdue(long nanos, long nowNanos) {
    return nowNanos - sentAtNanos >= nanos;
  }

  /** Notes that this many records were sent. */
  void markSent(int records, long nowNanos) {
    isFarBehind = false;
    isInFlight = true;
    inFlightEnd = next + records;
    sentAtNanos = nowNanos;
  }

  /** The message in flight was dropped or answered. */
  void clearInFlight() {
    isInFlight = false;
  }

  /** The records that it needs were dropped at the leader. */
  void markFarBehind() {
    isFarBehind = true;
    isInFlight = false;
  }

  /**
   * Notes that the follower requests a checkpoint or a chunk of one.
   *
   * @param begins whether it requests the list of files
   * @param first the oldest record that the leader has
   */
  void noteFetch(boolean begins, long first, long nowNanos) {
    // A replica that keeps restarting the fetch, because it can't store the checkpoint, makes no
    // progress.
    if (!begins || retainedFrom == 0) {
      progressAtNanos = nowNanos;
    }
    if (begins) {
      retainedFrom = first;
    }
  }

  /**
   * Its log equals the leader's below a number.
   *
   * @param committed all records below it are committed
   */
  void acknowledged(ReplicaMessage.Acknowledged message, long committed, long nowNanos) {
    // A group that was resent is acknowledged twice; the second acknowledgement does not answer the
    // next group.
    isInFlight &= message.next() < inFlightEnd && message.space() != LogSpace.NONE;
    if (message.next() > next) {
      progressAtNanos = nowNanos;
    }
    next = Math.max(next, message.next());
    if (message.isInEpoch()) {
      isInEpoch = true;
      if (message.next() > acknowledgedBelow || acknowledgedBelow >= committed) {
        progressAtNanos = nowNanos;
      }
      acknowledgedBelow = Math.max(acknowledgedBelow, message.next());
      retainedFrom = 0;
    }
    space = message.space();
  }

  /** Its log does not match the leader's before the group. */
  void noteMismatch(long oldest) {
    isInFlight = false;
    oldestRecord = oldest;
  }

  /** Discards its acknowledgements: it no longer has the records. */
  void discardAcknowledgements() {
    acknowledgedBelow = 0;
    isInEpoch = false;
  }

  /**
   * Sends from the last record at which both logs agree, unless it had acknowledged more: then its
   * disk was restored to an older state.
   *
   * @return false if it had acknowledged more
   */
  boolean tryResumeAt(long agreed) {
    if (agreed < acknowledgedBelow) {
      return false;
    }
    next = agreed;
    return true;
  }

  /** The oldest record to retain for it; {@link Long#MAX_VALUE} for none. */
  long oldestNeeded(long nowNanos) {
    if (nowNanos - progressAtNanos > RETENTION_NANOS) {
      return Long.MAX_VALUE;
    }
    // Its log in this epoch is unknown at first.
    return retainedFrom > 0 ? retainedFrom : Math.max(1, acknowledgedBelow);
  }
}
