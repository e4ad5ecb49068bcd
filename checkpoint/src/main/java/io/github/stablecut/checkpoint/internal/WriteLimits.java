package io.github.stablecut.checkpoint.internal;

import java.io.IOException;

/**
 * The limits for writing a run. Immutable.
 *
 * @param forceBytes a file is forced each time this many bytes were written, so that the last force
 *     is short and doesn't delay those of the journal
 * @param reserveBytes the disk space to leave free for others, mainly the journal
 * @param pace waits when writing is too fast
 */
public record WriteLimits(long forceBytes, long reserveBytes, Pace pace) {
  /** Slows a writer down. Called by the writing thread. */
  @FunctionalInterface
  public interface Pace {
    /** Never waits. */
    Pace FULL_SPEED = bytes -> {};

    /** Reports written bytes; returns when more may be written, or throws to end the writing. */
    void written(int bytes) throws IOException;
  }
}
