package io.github.stablecut.internal.replica;

import java.util.ArrayList;
import java.util.List;

/**
 * The group of records that a leader is writing, or has written last: it is sent to the other
 * copies from memory. Confined to the lock of its {@link LogReplicator}.
 */
final class LastGroup {
  /** A group above it is not kept in memory once it is in the log. */
  private static final long LARGE_BYTES = 64 << 10;

  /** A group that takes so long to be written here may never be: the disk hangs. */
  private static final long STUCK_NANOS = 5_000_000_000L;

  private List<LogRecord> records = List.of();
  private long first;

  /** Whether it is not written and synced here yet. */
  private boolean isWriting;

  private long writingSince;

  /** A group is about to be written. */
  void begin(long number, List<LogRecord> group, long now) {
    records = group;
    first = number;
    isWriting = true;
    writingSince = now;
  }

  /** It is written and synced. */
  void written() {
    isWriting = false;
  }

  /** The number behind its last record; if it has none, behind that of the log. */
  long end(long logEnd) {
    return records.isEmpty() ? logEnd : first + records.size();
  }

  /** Whether it has the record with a number, or would if it were longer. */
  boolean has(long number) {
    return !records.isEmpty() && number >= first;
  }

  /** The number, or its first one if that is below it: what is before that is in the log. */
  long firstBelow(long number) {
    return records.isEmpty() ? number : Math.min(number, first);
  }

  /** Its records from a number on, at least one and so many that they have some bytes. */
  List<LogRecord> records(long from, long to, long bytes) {
    List<LogRecord> taken = new ArrayList<>();
    long has = 0;
    for (long at = from; at < to && (taken.isEmpty() || has < bytes); at++) {
      LogRecord one = records.get((int) (at - first));
      taken.add(one);
      has += one.body().length;
    }
    return taken;
  }

  /** A large group that is in the log is read from there: another one may not come for long. */
  void dropIfLarge(long logEnd) {
    boolean isInLog = !isWriting && logEnd >= end(logEnd);
    if (isInLog && records.stream().mapToLong(one -> one.body().length).sum() > LARGE_BYTES) {
      records = List.of();
    }
  }

  /** Whether it was not written for so long that the disk seems to hang. */
  boolean isStuck(long now) {
    return isWriting && now - writingSince > STUCK_NANOS;
  }
}
