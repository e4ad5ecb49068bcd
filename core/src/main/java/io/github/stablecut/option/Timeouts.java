package io.github.stablecut.option;

import io.github.stablecut.error.DurationWords;
import java.time.Duration;

/**
 * How long a store waits for what. Immutable.
 *
 * @param commit how long a transaction of several partitions may take to be committed; after that
 *     it is aborted, or, if the decision was asked for and not told, its outcome is unknown;
 *     default 10 s; a large one may take longer ({@link #commit(long)})
 * @param read how long a read waits for a transaction that wrote the object and is not decided;
 *     default 10 s. In a store of one partition no read waits.
 * @param session how long after its opening a session may be used; default 24 h
 */
public record Timeouts(Duration commit, Duration read, Duration session) {
  private static final Duration LEAST = Duration.ofMillis(1);
  private static final Duration MOST_WAIT = Duration.ofHours(1);
  private static final Duration MOST_SESSION = Duration.ofDays(365);
  private static final long MILLIS_PER_MIB = 250;
  private static final Timeouts DEFAULTS =
      new Timeouts(Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofHours(24));

  /** Checks the ranges. */
  public Timeouts {
    check("commit", commit, MOST_WAIT);
    check("read", read, MOST_WAIT);
    check("session", session, MOST_SESSION);
  }

  private static void check(String name, Duration value, Duration most) {
    if (value.compareTo(LEAST) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          "the timeout %s is %s to %s, not %s"
              .formatted(
                  name, DurationWords.of(LEAST), DurationWords.of(most), DurationWords.of(value)));
    }
  }

  /**
   * How long a transaction of a size may take to be committed: a second longer for every 4 MiB.
   *
   * @param bytes what its effects take, 0 or more
   */
  public Duration commit(long bytes) {
    return commit.plusMillis(Math.multiplyExact(bytes >> 20, MILLIS_PER_MIB));
  }

  /** The default times. */
  public static Timeouts defaults() {
    return DEFAULTS;
  }

  /** These timeouts with another for commits. */
  public Timeouts withCommit(Duration longest) {
    return new Timeouts(longest, read, session);
  }

  /** These timeouts with another for reads. */
  public Timeouts withRead(Duration longest) {
    return new Timeouts(commit, longest, session);
  }

  /** These timeouts with another for sessions. */
  public Timeouts withSession(Duration longest) {
    return new Timeouts(commit, read, longest);
  }
}
