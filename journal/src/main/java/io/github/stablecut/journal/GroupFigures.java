package io.github.stablecut.journal;

/** Sums over the groups that became durable. Immutable. */
record GroupFigures(long records, long bytes, long groups, int largestGroup) {
  static final GroupFigures NONE = new GroupFigures(0, 0, 0, 0);

  GroupFigures plus(int groupRecords, long groupBytes) {
    return new GroupFigures(
        records + groupRecords,
        bytes + groupBytes,
        groups + 1,
        Math.max(largestGroup, groupRecords));
  }
}
