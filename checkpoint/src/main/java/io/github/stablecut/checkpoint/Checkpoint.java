package io.github.stablecut.checkpoint;

import io.github.stablecut.causality.VectorClock;

/**
 * A durable cut of the objects at one vector: the description of a run, without its entries.
 * Immutable.
 *
 * @param at the vector K at which the states are complete: each has the effects of exactly the
 *     transactions whose commit vector is at or below K
 * @param pruneFrontier the vector at which the states were pruned, F; never above {@code at}
 * @param replayFrom a position in the journal at or before every record that is not fully in this
 *     checkpoint or in older ones; only the caller interprets it
 * @param last the commit time of the last transaction from each data centre, in the checkpoint or
 *     in the journal; 0 if there was none
 */
public record Checkpoint(
    VectorClock at, VectorClock pruneFrontier, long replayFrom, VectorClock last) {
  /** Checks the vectors. */
  public Checkpoint {
    if (at.equals(VectorClock.ZERO)) {
      throw new IllegalArgumentException("a checkpoint at the zero vector would be empty");
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
