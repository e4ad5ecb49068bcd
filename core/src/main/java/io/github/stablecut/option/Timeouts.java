package io.github.stablecut.option;

import io.github.stablecut.error.DurationWords;
import java.time.Duration;

/**
 * Timeouts of commits, reads and sessions. Immutable.
 *
 * @param commit how long the commit of a transaction of several partitions may take; a large one
 *     may take longer ({@link #commit(long)}). The transaction is then aborted; if its decision was
 *     requested but not received, its outcome is unknown. Default 10 s
 * @param read how long a read waits for an undecided transaction that wrote the object; default 10
 *     s. In a store of one partition no read waits
 * @param session how long after its opening a session may be used; default 24 h
 */
public record Timeouts(Duration commit, Duration read, Duration session) {
  private static final Duration MIN = Duration.ofMillis(1);
  private static final Duration MAX_WAIT = Duration.ofHours(1);
  private static final Duration MAX_SESSION = Duration.ofDays(365);
  private static final long MILLIS_PER_MIB = 250;
  private static final Timeouts DEFAULTS =
      new Timeouts(Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofHours(24));

  /** Checks the ranges. */
  public Timeouts {
    check("commit", commit, MAX_WAIT);
    check("read", read, MAX_WAIT);
    check("session", session, MAX_SESSION);
  }

  private static void check(String name, Duration value, Duration max) {
    if (value.compareTo(MIN) < 0 || value.compareTo(max) > 0) {
      throw new IllegalArgumentException(
          "the timeout %s must be %s to %s, not %s"
              .formatted(
                  name, DurationWords.of(MIN), DurationWords.of(max), DurationWords.of(value)));
    }
  }

  /**
   * Returns the timeout of the commit of a transaction of some size: one second more per 4 MiB.
   *
   * @param bytes the size of its effects, at least 0
   */
  public Duration commit(long bytes) {
    return commit.plusMillis(Math.multiplyExact(bytes >> 20, MILLIS_PER_MIB));
  }

  /** The default timeouts. */
  public static Timeouts defaults() {
    return DEFAULTS;
  }

  /** Sets the timeout of commits. */
  public Timeouts withCommit(Duration timeout) {
    return new Timeouts(timeout, read, session);
  }

  /** Sets the timeout of reads. */
  public Timeouts withRead(Duration timeout) {
    return new Timeouts(commit, timeout, session);
  }

  /** Sets the timeout of sessions. */
  public Timeouts withSession(Duration timeout) {
    return new Timeouts(commit, read, timeout);
  }
}
