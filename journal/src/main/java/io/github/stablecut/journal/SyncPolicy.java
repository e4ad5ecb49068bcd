package io.github.stablecut.journal;

import java.time.Duration;

/** When records are synced and when they count as durable. Immutable. */
public sealed interface SyncPolicy {
  /**
   * Syncs at once; what arrives during a sync goes together in the next. No timer: under load the
   * groups grow by themselves. Durable means synced.
   */
  record Batch() implements SyncPolicy {}

  /**
   * Holds records until the window has passed since the previous sync began, and then syncs them
   * together (CASSANDRA-13530, "GroupCommitLogService"). Helps where the disk is scarce, and costs
   * a lone writer up to the window. Durable means synced.
   */
  record Group(Duration window) implements SyncPolicy {
    /** Checks the window. */
    public Group {
      check(window);
    }
  }

  /**
   * Records count as durable when they are written; syncs when the oldest unsynced one has waited
   * for the interval. Writing waits while a sync is due or running, so a power cut loses at most
   * what was written within one interval before the last sync began. (Cassandra's periodic mode
   * holds writers back when the newest sync is older than 1.5 intervals, to the same end.)
   */
  record Periodic(Duration interval) implements SyncPolicy {
    /** Checks the interval. */
    public Periodic {
      check(interval);
    }
  }

  /**
   * As {@link Periodic} for several journals whose records depend on each other: they are synced
   * together, by whoever opened them ({@link GroupCommitter#sync}, {@link GroupCommitter#synced}).
   * Writing waits while the oldest record that was not synced together with the other journals is
   * older than one and a half intervals.
   */
  record Joint(Duration interval) implements SyncPolicy {
    /** Checks the interval. */
    public Joint {
      check(interval);
    }
  }

  private static void check(Duration duration) {
    if (duration.isNegative() || duration.isZero() || duration.toDays() > 1) {
      throw new IllegalArgumentException("not between 0 and a day: " + duration);
    }
  }
}
