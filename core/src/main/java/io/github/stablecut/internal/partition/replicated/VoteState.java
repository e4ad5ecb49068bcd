package io.github.stablecut.internal.partition.replicated;

import java.security.SecureRandom;

/**
 * A replica's promised epoch, and whether it may have lost records that it acknowledged: an
 * in-memory image of its {@link VoteStorage}. Changed by the replica's thread; reading is
 * thread-safe.
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

  /** The initial state of a replica that is not open yet. */
  static VoteState none(VoteStorage durable) {
    return new VoteState(durable, 0, 0);
  }

  /** Reads the stored state. */
  static VoteState read(VoteStorage durable) {
    return new VoteState(durable, durable.read(), durable.shortened());
  }

  /** The newest promised epoch; 0 if none. */
  long epoch() {
    return epoch;
  }

  /** Like {@link io.github.stablecut.internal.replica.ReplicaLog#lossMark}. */
  long shortened() {
    return shortened;
  }

  /** Promises an epoch, durably. */
  void promise(long next) {
    write(next, shortened);
  }

  /** Notes that the replica may have lost records that it acknowledged. */
  void shorten() {
    write(epoch, 1 + new SecureRandom().nextLong(Long.MAX_VALUE));
  }

  /** Notes that the replica has recovered everything. */
  void restore() {
    write(epoch, 0);
  }

  private void write(long newEpoch, long newShortened) {
    durable.write(newEpoch, newShortened);
    epoch = newEpoch;
    shortened = newShortened;
  }
}
