package io.github.stablecut.internal.record;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.EffectOrigin;

/**
 * When and from where a transaction was committed: one object for all its effects. Immutable but
 * for its place in the journal, which is set once, before the transaction is visible.
 */
public final class Commit {
  /** The position of a transaction that the journal does not hold yet. */
  public static final long NOWHERE = 0;

  private final EffectOrigin origin;
  private final VectorClock snapshot;
  private final VectorClock vector;
  private volatile long position;

  /**
   * @param origin data centre, commit time and prune frontier
   * @param snapshot what the transaction had read at
   * @param position where its record is, or {@link #NOWHERE}
   */
  public Commit(EffectOrigin origin, VectorClock snapshot, long position) {
    this.origin = origin;
    this.snapshot = snapshot;
    this.vector = snapshot.with(origin.dataCentre(), origin.commitTime());
    this.position = position;
  }

  /** Data centre, commit time and prune frontier: what effects are applied with. */
  public EffectOrigin origin() {
    return origin;
  }

  /** The commit time. */
  public long time() {
    return origin.commitTime();
  }

  /** What the transaction had read at. */
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

  /** Where the transaction's record is in the journal, or {@link #NOWHERE}. */
  public long position() {
    return position;
  }

  /** Sets where the journal has put the record. */
  public void placeAt(long newPosition) {
    position = newPosition;
  }
}
