package io.github.stablecut.checkpoint.internal;

import java.io.IOException;

/**
 * What the writing of a run has to spare. Immutable.
 *
 * @param forceBytes a file is forced each time that so much was written to it, so that the last
 *     force is short and doesn't hold up those of the journal
 * @param reserveBytes so much of the disk stays free for others, the journal first of all
 * @param pace waits when writing is too fast
 */
public record WriteLimits(long forceBytes, long reserveBytes, Pace pace) {
  /** Slows a writer down. Called by the thread that writes. */
  @FunctionalInterface
  public interface Pace {
    /** Never waits. */
    Pace FULL_SPEED = bytes -> {};

    /** Is told of bytes that were written, and returns when more may be, or throws to end it. */
    void written(int bytes) throws IOException;
  }
}
