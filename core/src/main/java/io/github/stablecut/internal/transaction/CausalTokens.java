package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.ReadTimeoutException;
import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.internal.recovery.Lineage;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.thread.ManagedBlocking;
import io.github.stablecut.internal.transaction.routing.Partitions;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Issues a store's tokens and validates tokens that callers pass in. Thread-safe. */
record CausalTokens(
    StoreIdentity identity,
    Lineage lineage,
    Partitions partitions,
    Optional<EmbeddedReplication> replication,
    Duration timeout) {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Returns the token of a point. */
  CausalToken at(VectorClock vector) {
    return new CausalToken(storeId(), opening(vector), vector);
  }

  /** The data centres of a group share an id, so that each accepts the others' tokens. */
  private long storeId() {
    return replication.isPresent() ? replication.get().group() : identity.id();
  }

  /** With several data centres, a data centre does not know when the others were opened. */
  private long opening(VectorClock vector) {
    return replication.isPresent() && !replication.get().isAlone()
        ? Lineage.NONE
        : lineage.openingAt(identity.dataCentre().timeIn(vector));
  }

  /** Whether a token belongs to this lineage of the store and a snapshot contains its point. */
  boolean isReached(CausalToken token, VectorClock snapshot) {
    return token.storeId() == storeId()
        && token.opening() == opening(token.vector())
        && token.vector().isAtOrBefore(snapshot);
  }

  /**
   * Rejects a token that belongs to another store or is ahead of the newest snapshot. Waits for
   * transactions of other data centres that the token includes.
   */
  void checkReached(CausalToken token) {
    if (token.storeId() != storeId()) {
      boolean isRestored = identity.restoredFrom().equals(OptionalLong.of(token.storeId()));
      throw new UnknownSnapshotException(
          "%s belongs to store %016x, and this is store %016x%s"
              .formatted(
                  token,
                  token.storeId(),
                  storeId(),
                  isRestored
                      ? ", restored from a backup of it, which may lack what the token includes:"
                          + " take a new token"
                      : ": use it there"));
    }
    long opening = opening(token.vector());
    if (opening != token.opening() && opening != Lineage.NONE && token.opening() != Lineage.NONE) {
      throw new UnknownSnapshotException(
          "%s was issued by a copy of the store, or before its directory was restored to an older state, and includes commits that this store never had: use it there, or take a new token"
              .formatted(token));
    }
    VectorClock newest = ManagedBlocking.during(() -> awaitArrival(token));
    if (!token.vector().isAtOrBefore(newest)) {
      throw new UnknownSnapshotException(
          "%s is ahead of the store, whose newest commit is at %s: it comes from a lost or restored state"
              .formatted(token, at(newest)));
    }
  }

  /**
   * Waits until the newest snapshot includes the token's entries for other data centres, and
   * returns it.
   *
   * @throws ReadTimeoutException if it does not within the read timeout
   */
  private VectorClock awaitArrival(CausalToken token) {
    VectorClock newest = partitions.snapshotAfter(token.vector());
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    while (replication.isPresent()
        && !identity.dataCentre().othersAreAtOrBefore(token.vector(), newest)) {
      if (System.nanoTime() - deadlineNanos > 0 || Thread.currentThread().isInterrupted()) {
        throw new ReadTimeoutException(
            "%s includes transactions of other data centres that did not arrive within %s; this data centre has everything up to %s: check the connections (dataCentres), and retry"
                .formatted(token, DurationWords.of(timeout), at(newest)));
      }
      LockSupport.parkNanos(this, POLL_NANOS);
      newest = partitions.snapshotAfter(token.vector());
    }
    return newest;
  }
}
