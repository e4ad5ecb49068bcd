package io.github.stablecut.option;

import io.github.stablecut.error.DurationWords;
import java.time.Duration;

/**
 * When a commit is made durable and when it is acknowledged; named as the commit log services of
 * Apache Cassandra (CASSANDRA-13530).
 */
public sealed interface Durability {
  /** {@link Batch}: the default. */
  static Durability batch() {
    return new Batch();
  }

  /** {@link Group}. */
  static Durability group(Duration window) {
    return new Group(window);
  }

  /** {@link Periodic}. */
  static Durability periodic(Duration interval) {
    return new Periodic(interval);
  }

  /**
   * Syncs at once and acknowledges then; commits that come during a sync go together in the next.
   */
  record Batch() implements Durability {}

  /**
   * Syncs once per window all that has come in it, and acknowledges then. Fewer syncs when the disk
   * is scarce; a lone writer waits longer.
   *
   * @param window 1 ms to 10 s
   */
  record Group(Duration window) implements Durability {
    /** Checks the range. */
    public Group {
      check("window", window);
    }
  }

  /**
   * Acknowledges at once and syncs once per interval: a crash of the process loses nothing, a crash
   * of the machine what was acknowledged in the last interval, of all partitions alike: they go
   * back to one moment, so that no transaction is there in part, or without one that it depends on.
   * Commits wait while the last sync is more than one and a half intervals old. Data centres and
   * nodes of clusters refuse it.
   *
   * @param interval 1 ms to 10 s
   */
  record Periodic(Duration interval) implements Durability {
    /** Checks the range. */
    public Periodic {
      check("interval", interval);
    }
  }

  private static void check(String name, Duration duration) {
    if (duration.compareTo(Duration.ofMillis(1)) < 0
        || duration.compareTo(Duration.ofSeconds(10)) > 0) {
      throw new IllegalArgumentException(
          name + " is 1 ms to 10 s, not " + DurationWords.of(duration));
    }
  }
}
