package io.github.stablecut.journal;

import java.time.Duration;

/** Determines when records are synced and when they count as durable. Immutable. */
public sealed interface SyncPolicy {
  /**
   * Syncs immediately; records that arrive during a sync share the next one. Without a timer,
   * groups grow with the load. Durable means synced.
   */
  record Batch() implements SyncPolicy {}

  /**
   * Holds records until the window has passed since the previous sync began, then syncs them
   * together (CASSANDRA-13530, "GroupCommitLogService"). Helps where disk throughput is scarce, and
   * costs a lone writer up to the window. Durable means synced.
   */
  record Group(Duration window) implements SyncPolicy {
    /** Checks the window. */
    public Group {
      check(window);
    }
  }

  /**
   * Records count as durable once written; syncs when the oldest unsynced record has waited for the
   * interval. Writing waits while a sync is due or running, so a power failure loses at most what
   * was written within one interval before the last sync began. Cassandra's periodic mode likewise
   * holds writers back when the newest sync is older than 1.5 intervals.
   */
  record Periodic(Duration interval) implements SyncPolicy {
    /** Checks the interval. */
    public Periodic {
      check(interval);
    }
  }

  /**
   * Like {@link Periodic}, for several journals whose records depend on each other: their owner
   * syncs them together ({@link GroupCommitter#sync}, {@link GroupCommitter#synced}). Writing waits
   * while the oldest record not covered by a joint sync is older than 1.5 intervals.
   */
  record Joint(Duration interval) implements SyncPolicy {
    /** Checks the interval. */
    public Joint {
      check(interval);
    }
  }

  private static void check(Duration duration) {
    if (duration.isNegative() || duration.isZero() || duration.toDays() > 1) {
      throw new IllegalArgumentException(
          "the interval must be above 0 and at most a day: " + duration);
    }
  }
}
