package io.github.stablecut.journal;

/** Sums over the committed groups. Immutable. */
record CommitFigures(long records, long bytes, long groups, int largestGroup) {
  static final CommitFigures NONE = new CommitFigures(0, 0, 0, 0);

  CommitFigures plus(int groupRecords, long groupBytes) {
    return new CommitFigures(
        records + groupRecords,
        bytes + groupBytes,
        groups + 1,
        Math.max(largestGroup, groupRecords));
  }
}
