package io.github.stablecut.journal;

import java.util.ArrayList;
import java.util.List;

/**
 * Which epoch of the partition's layout each record of a log was written in. Two logs that have the
 * same epoch at a number are the same up to there; a log without copies has epoch 0. Immutable.
 *
 * @param starts where each epoch begins, ascending by record, no two of them at the same; the first
 *     is that of the oldest record that is there. The last one may have no record yet
 */
public record LogEpochs(List<Start> starts) {
  /** What {@link #at} answers for a record that was dropped. */
  public static final long UNKNOWN = -1;

  /**
   * An epoch begins.
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
      throw new IllegalArgumentException("a log has an epoch, from its first record on");
    }
  }

  /** The epochs that the headers of segments tell: the last header at a record counts. */
  static LogEpochs of(Iterable<SegmentInfo> segments) {
    List<Start> starts = new ArrayList<>();
    for (SegmentInfo info : segments) {
      Start start = new Start(info.header().configurationEpoch(), info.header().firstRecord());
      while (!starts.isEmpty() && starts.get(starts.size() - 1).first >= start.first) {
        var unused = starts.remove(starts.size() - 1);
      }
      if (starts.isEmpty() || starts.get(starts.size() - 1).epoch != start.epoch) {
        starts.add(start);
      }
    }
    return new LogEpochs(starts);
  }

  /** The epoch of the end of the log, with or without a record in it. */
  public long last() {
    return starts.get(starts.size() - 1).epoch;
  }

  /**
   * The epoch of a record that is there; 0 for number 0, as if that came before all.
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

  /** The number of the first record of the epoch of a record that is there. */
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
   * The number behind the last record that the log has in the epoch of one of its records.
   *
   * @param number of that record
   * @param next the number behind the log's last record
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
