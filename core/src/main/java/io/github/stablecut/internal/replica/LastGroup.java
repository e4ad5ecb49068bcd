package io.github.stablecut.internal.replica;

import java.util.ArrayList;
import java.util.List;

/**
 * The group of records that a leader is writing or wrote last, sent to the other replicas from
 * memory. Confined to the lock of its {@link LogReplicator}.
 */
final class LastGroup {
  /** A larger group is not kept in memory once the log has it. */
  private static final long LARGE_BYTES = 64 << 10;

  /** A write that takes longer may never end: the disk hangs. */
  private static final long STUCK_NANOS = 5_000_000_000L;

  private List<LogRecord> records = List.of();
  private long first;

  /** Whether the leader has yet to write and sync the group. */
  private boolean isWriting;

  private long writeBeganAtNanos;

  /** Starts a group that is about to be written. */
  void begin(long number, List<LogRecord> group, long nowNanos) {
    records = group;
    first = number;
    isWriting = true;
    writeBeganAtNanos = nowNanos;
  }

  /** Notes that the group is written and synced. */
  void markWritten() {
    isWriting = false;
  }

  /** The number after its last record, or {@code logEnd} if the group is empty. */
  long end(long logEnd) {
    return records.isEmpty() ? logEnd : first + records.size();
  }

  /** Whether the record with this number is in the group or after it. */
  boolean reaches(long number) {
    return !records.isEmpty() && number >= first;
  }

  /** The smaller of the number and the group's first one; the log has all records before it. */
  long firstBelow(long number) {
    return records.isEmpty() ? number : Math.min(number, first);
  }

  /** Its records from a number on: at least one, then more until they reach {@code bytes}. */
  List<LogRecord> records(long from, long to, long bytes) {
    List<LogRecord> taken = new ArrayList<>();
    long size = 0;
    for (long at = from; at < to && (taken.isEmpty() || size < bytes); at++) {
      LogRecord one = records.get((int) (at - first));
      taken.add(one);
      size += one.body().length;
    }
    return taken;
  }

  /** Discards a large group once the log has it: the next group may be a long time away. */
  void dropIfLarge(long logEnd) {
    boolean isInLog = !isWriting && logEnd >= end(logEnd);
    if (isInLog && records.stream().mapToLong(one -> one.body().length).sum() > LARGE_BYTES) {
      records = List.of();
    }
  }

  /** Whether the write has taken so long that the disk seems to hang. */
  boolean isStuck(long nowNanos) {
    return isWriting && nowNanos - writeBeganAtNanos > STUCK_NANOS;
  }
}
