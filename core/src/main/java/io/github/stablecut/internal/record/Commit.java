package io.github.stablecut.internal.record;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.EffectOrigin;

/**
 * The commit of a transaction: its origin, times and vectors, shared by all its effects. Immutable
 * except for its position in the journal, which is set once, before the transaction is visible.
 */
public final class Commit {
  /** The position of a transaction that is not in the journal yet. */
  public static final long NOWHERE = 0;

  private final EffectOrigin origin;
  private final VectorClock snapshot;
  private final VectorClock vector;
  private volatile long position;

  /**
   * @param origin data centre, commit time and prune frontier
   * @param snapshot the vector at which the transaction read
   * @param position the position of its record, or {@link #NOWHERE}
   */
  public Commit(EffectOrigin origin, VectorClock snapshot, long position) {
    this.origin = origin;
    this.snapshot = snapshot;
    this.vector = snapshot.with(origin.dataCentre(), origin.commitTime());
    this.position = position;
  }

  /** Data centre, commit time and prune frontier, with which effects are applied. */
  public EffectOrigin origin() {
    return origin;
  }

  /** The commit time. */
  public long time() {
    return origin.commitTime();
  }

  /** The vector at which the transaction read. */
  public VectorClock snapshot() {
    return snapshot;
  }

  /** The commit vector: a snapshot at or above it sees the transaction, others don't. */
  public VectorClock vector() {
    return vector;
  }

  /** Whether a snapshot sees the transaction. */
  public boolean isVisibleAt(VectorClock at) {
    return vector.isAtOrBefore(at);
  }

  /** The position of the transaction's record in the journal, or {@link #NOWHERE}. */
  public long position() {
    return position;
  }

  /** Sets the position of the record in the journal. */
  public void placeAt(long newPosition) {
    position = newPosition;
  }
}
