package io.github.stablecut.journal;

/** Totals over the groups that became durable. Thread-safe. */
final class GroupFigures {
  private long records;
  private long bytes;
  private long groups;
  private int largestGroup;

  /** Adds a group. */
  synchronized void add(int groupRecords, long groupBytes) {
    records += groupRecords;
    bytes += groupBytes;
    groups++;
    largestGroup = Math.max(largestGroup, groupRecords);
  }

  synchronized long records() {
    return records;
  }

  synchronized long bytes() {
    return bytes;
  }

  synchronized long groups() {
    return groups;
  }

  synchronized int largestGroup() {
    return largestGroup;
  }
}
