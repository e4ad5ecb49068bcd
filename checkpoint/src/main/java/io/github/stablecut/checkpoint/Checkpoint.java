package io.github.stablecut.checkpoint;

import io.github.stablecut.causality.VectorClock;

/**
 * A durable cut of the objects at one vector: what a run says of itself, beside its entries.
 * Immutable.
 *
 * @param at the vector that the states are complete at, K: each has the effects of exactly the
 *     transactions whose commit vector is at or below it
 * @param pruneFrontier the vector at which the states were pruned, F; never above {@code at}
 * @param replayFrom the position in the journal at or before every record that is not wholly in
 *     this checkpoint or the ones below it; its meaning is the caller's
 * @param last the last transaction of each data centre that was here, in the checkpoint or in the
 *     journal; 0 where there was none
 */
public record Checkpoint(
    VectorClock at, VectorClock pruneFrontier, long replayFrom, VectorClock last) {
  /** Checks them. */
  public Checkpoint {
    if (at.equals(VectorClock.ZERO)) {
      throw new IllegalArgumentException("a checkpoint at the zero vector has nothing in it");
    }
    if (!pruneFrontier.isAtOrBefore(at)) {
      throw new IllegalArgumentException(
          "prune frontier " + pruneFrontier + " is not at or before " + at);
    }
  }

  /** A checkpoint of a store that neither prunes nor receives streams. */
  public static Checkpoint of(VectorClock at, long replayFrom) {
    return new Checkpoint(at, VectorClock.ZERO, replayFrom, VectorClock.ZERO);
  }
}
