package io.github.stablecut.option;

import io.github.stablecut.error.DurationWords;
import java.time.Duration;

/**
 * The times at which a commit is made durable and acknowledged. The modes are named after the
 * commit log services of Apache Cassandra (CASSANDRA-13530).
 */
public sealed interface Durability {
  /** {@link Batch} mode, the default. */
  static Durability batch() {
    return new Batch();
  }

  /** {@link Group} mode. */
  static Durability group(Duration window) {
    return new Group(window);
  }

  /** {@link Periodic} mode. */
  static Durability periodic(Duration interval) {
    return new Periodic(interval);
  }

  /**
   * Syncs each commit immediately, then acknowledges it. Commits that arrive during a sync share
   * the next one.
   */
  record Batch() implements Durability {}

  /**
   * Syncs all commits of a window together, then acknowledges them. This saves syncs on a busy
   * disk, but a lone writer waits longer.
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
   * Acknowledges commits immediately and syncs once per interval. A crash of the process loses
   * nothing; a crash of the machine loses the commits of the last interval. All partitions then
   * return to the same moment, so that no transaction is incomplete or lacks one that it depends
   * on. Commits wait while the last sync is more than one and a half intervals old. Data centres
   * that replicate and nodes of clusters refuse this mode.
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
          name + " must be 1 ms to 10 s, not " + DurationWords.of(duration));
    }
  }
}
