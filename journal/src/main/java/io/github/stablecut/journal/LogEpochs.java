package io.github.stablecut.journal;

import io.github.stablecut.journal.segment.SegmentInfo;
import java.util.ArrayList;
import java.util.List;

/**
 * Maps each record of a log to the configuration epoch in which it was written. Two logs with the
 * same epoch at a record number are identical up to that record. A log without replicas has epoch
 * 0. Immutable.
 *
 * @param starts where each epoch begins, strictly ascending by record; the first covers the oldest
 *     retained record. The last one may have no record yet
 */
public record LogEpochs(List<Start> starts) {
  /** The result of {@link #at} for a dropped record. */
  public static final long UNKNOWN = -1;

  /**
   * The start of an epoch.
   *
   * @param epoch from 0
   * @param first the number of its first record, from 1
   */
  public record Start(long epoch, long first) {}

  /** Copies the list, and checks it. */
  public LogEpochs {
    starts = List.copyOf(starts);
    for (int i = 1; i < starts.size(); i++) {
      if (starts.get(i).first <= starts.get(i - 1).first) {
        throw new IllegalArgumentException("epochs are out of order: " + starts);
      }
    }
    if (starts.isEmpty()) {
      throw new IllegalArgumentException("a log has at least one epoch");
    }
  }

  /**
   * The epochs in the headers of segments. If several headers begin at one record, the last one
   * counts.
   */
  static LogEpochs of(Iterable<SegmentInfo> segments) {
    List<Start> starts = new ArrayList<>();
    for (SegmentInfo info : segments) {
      Start start = new Start(info.header().configurationEpoch(), info.header().firstRecord());
      while (!starts.isEmpty() && starts.get(starts.size() - 1).first >= start.first) {
        starts.remove(starts.size() - 1);
      }
      if (starts.isEmpty() || starts.get(starts.size() - 1).epoch != start.epoch) {
        starts.add(start);
      }
    }
    return new LogEpochs(starts);
  }

  /** The epoch at the end of the log, even if it has no record yet. */
  public long last() {
    return starts.get(starts.size() - 1).epoch;
  }

  /**
   * The epoch of a retained record; 0 for number 0, which precedes all records.
   *
   * @return {@link #UNKNOWN} if it was dropped
   */
  public long at(long number) {
    if (number == 0) {
      return 0;
    }
    for (int i = starts.size() - 1; i >= 0; i--) {
      if (starts.get(i).first <= number) {
        return starts.get(i).epoch;
      }
    }
    return UNKNOWN;
  }

  /** The number of the first record in the epoch of a retained record. */
  public long firstOfEpochAt(long number) {
    long first = 0;
    for (Start start : starts) {
      if (start.first > number) {
        break;
      }
      first = start.first;
    }
    return first;
  }

  /**
   * The number after the log's last record in the epoch of one of its records.
   *
   * @param number the number of that record
   * @param next the number after the log's last record
   */
  public long endOfEpochAt(long number, long next) {
    for (Start start : starts) {
      if (start.first > number) {
        return Math.min(start.first, next);
      }
    }
    return next;
  }
}
