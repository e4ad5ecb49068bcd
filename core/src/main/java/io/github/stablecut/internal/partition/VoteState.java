package io.github.stablecut.internal.partition;

import java.security.SecureRandom;

/**
 * What a copy has promised, and whether it may have lost what it has acknowledged: in memory what
 * its {@link VoteStorage} have durably. Changed by the copy's thread; reading is thread-safe.
 */
final class VoteState {
  private final VoteStorage durable;
  private volatile long epoch;
  private volatile long shortened;

  private VoteState(VoteStorage durable, long epoch, long shortened) {
    this.durable = durable;
    this.epoch = epoch;
    this.shortened = shortened;
  }

  /** None, of a copy that is not open yet. */
  static VoteState none(VoteStorage durable) {
    return new VoteState(durable, 0, 0);
  }

  /** What was written before. */
  static VoteState read(VoteStorage durable) {
    return new VoteState(durable, durable.read(), durable.shortened());
  }

  /** The newest epoch that was promised; 0 for none. */
  long epoch() {
    return epoch;
  }

  /** As {@link io.github.stablecut.internal.replica.ReplicaLog#lossMark}. */
  long shortened() {
    return shortened;
  }

  /** Promises an epoch, durably. */
  void promise(long next) {
    write(next, shortened);
  }

  /** The copy may have lost what it has acknowledged. */
  void shorten() {
    write(epoch, 1 + new SecureRandom().nextLong(Long.MAX_VALUE));
  }

  /** The copy has everything again. */
  void restore() {
    write(epoch, 0);
  }

  private void write(long newEpoch, long newShortened) {
    durable.write(newEpoch, newShortened);
    epoch = newEpoch;
    shortened = newShortened;
  }
}
