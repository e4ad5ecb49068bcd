package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.ReadTimeoutException;
import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.internal.recovery.Lineage;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.thread.ManagedBlocking;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Issues the tokens of a store, and checks those that callers pass in. Thread-safe. */
record CausalTokens(
    StoreIdentity identity,
    Lineage lineage,
    Partitions partitions,
    Optional<EmbeddedReplication> replication,
    Duration timeout) {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** The token of a point. */
  CausalToken at(VectorClock vector) {
    return new CausalToken(storeId(), opening(vector), vector);
  }

  /** Data centres of one group know each other's tokens. */
  private long storeId() {
    return replication.isPresent() ? replication.get().group() : identity.id();
  }

  /** Among several data centres nobody knows the openings of the others. */
  private long opening(VectorClock vector) {
    return replication.isPresent() && !replication.get().isAlone()
        ? Lineage.NONE
        : lineage.openingAt(identity.dataCentre().timeIn(vector));
  }

  /** Whether a token is one of this store, as it is now, that a snapshot contains. */
  boolean isReached(CausalToken token, VectorClock snapshot) {
    return token.storeId() == storeId()
        && token.opening() == opening(token.vector())
        && token.vector().isAtOrBefore(snapshot);
  }

  /**
   * Refuses a token of another store, or ahead of the newest snapshot. Waits for what has to come
   * from other data centres.
   */
  void checkReached(CausalToken token) {
    if (token.storeId() != storeId()) {
      boolean isRestored = identity.restoredFrom().equals(OptionalLong.of(token.storeId()));
      throw new UnknownSnapshotException(
          "%s is one of store %016x, this is store %016x%s"
              .formatted(
                  token,
                  token.storeId(),
                  storeId(),
                  isRestored
                      ? ", made from a backup of it, which may lack what the token stands for:"
                          + " take a new token"
                      : ": use it there"));
    }
    long opening = opening(token.vector());
    if (opening != token.opening() && opening != Lineage.NONE && token.opening() != Lineage.NONE) {
      throw new UnknownSnapshotException(
          "%s was told by a copy of the store, or before its directory was put back to an older state, and stands for what this store never had: use it there, or take a new token"
              .formatted(token));
    }
    VectorClock newest = ManagedBlocking.during(() -> arrived(token));
    if (!token.vector().isAtOrBefore(newest)) {
      throw new UnknownSnapshotException(
          "%s is ahead of the store, whose newest commit is at %s: it comes from a lost or restored state"
              .formatted(token, at(newest)));
    }
  }

  /**
   * The newest snapshot, once it has what a token has of other data centres.
   *
   * @throws ReadTimeoutException if that does not come in time
   */
  private VectorClock arrived(CausalToken token) {
    VectorClock newest = partitions.snapshotAfter(token.vector());
    long deadline = System.nanoTime() + timeout.toNanos();
    while (replication.isPresent()
        && !identity.dataCentre().othersAreAtOrBefore(token.vector(), newest)) {
      if (System.nanoTime() - deadline > 0 || Thread.currentThread().isInterrupted()) {
        throw new ReadTimeoutException(
            "%s has not come here from other data centres within %s, here is what was seen at %s: see whether they are reached (dataCentres), and try again"
                .formatted(token, DurationWords.of(timeout), at(newest)));
      }
      LockSupport.parkNanos(this, POLL_NANOS);
      newest = partitions.snapshotAfter(token.vector());
    }
    return newest;
  }
}
