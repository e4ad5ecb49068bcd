package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.internal.recovery.Lineage;
import io.github.stablecut.internal.recovery.StoreIdentity;
import java.util.OptionalLong;

/** Issues the tokens of a store, and checks those that callers pass in. Thread-safe. */
record CausalTokens(StoreIdentity identity, Lineage lineage, Partitions partitions) {
  /** The token of a point. */
  CausalToken at(VectorClock vector) {
    return new CausalToken(
        identity.id(), lineage.openingAt(identity.dataCentre().timeIn(vector)), vector);
  }

  /** Refuses a token of another store, or ahead of the newest snapshot. */
  void checkReached(CausalToken token) {
    if (token.storeId() != identity.id()) {
      boolean isRestored = identity.restoredFrom().equals(OptionalLong.of(token.storeId()));
      throw new UnknownSnapshotException(
          "%s is one of store %016x, this is store %016x%s"
              .formatted(
                  token,
                  token.storeId(),
                  identity.id(),
                  isRestored
                      ? ", made from a backup of it, which may lack what the token stands for:"
                          + " take a new token"
                      : ": use it there"));
    }
    long opening = lineage.openingAt(identity.dataCentre().timeIn(token.vector()));
    if (opening != token.opening() && opening != Lineage.NONE && token.opening() != Lineage.NONE) {
      throw new UnknownSnapshotException(
          "%s was told by a copy of the store, or before its directory was put back to an older state, and stands for what this store never had: use it there, or take a new token"
              .formatted(token));
    }
    VectorClock newest = partitions.snapshotAfter(token.vector());
    if (!token.vector().isAtOrBefore(newest)) {
      throw new UnknownSnapshotException(
          "%s is ahead of the store, whose newest commit is at %s: it comes from a lost or restored state"
              .formatted(token, at(newest)));
    }
  }
}
