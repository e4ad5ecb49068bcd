package io.github.stablecut.internal.partition;

import io.github.stablecut.internal.record.ClockRecord;
import io.github.stablecut.journal.StoredRecord;

/** The highest times in a journal's records. Confined to one thread at a time. */
final class RecordedTimes {
  private long lastCommit;
  private long lastPrepare;
  private long ceiling;

  /** Whether the last ceiling replaces all earlier ones, including those in manifests. */
  private boolean isCeilingLast;

  void commit(long time) {
    lastCommit = Math.max(lastCommit, time);
  }

  void prepare(long time) {
    lastPrepare = Math.max(lastPrepare, time);
  }

  void clock(StoredRecord record) {
    long read = ClockRecord.read(record.body(), record.position());
    boolean isLast = ClockRecord.isLast(record.body());
    isCeilingLast |= isLast;
    ceiling = isLast ? read : Math.max(ceiling, read);
  }

  /** The time of the last commit; 0 if there is none. */
  long lastCommit() {
    return lastCommit;
  }

  /**
   * The highest time that the clock may have reported; 0 if there is none.
   *
   * @param inManifest the ceiling in the manifest, of dropped clock records
   */
  long greatest(long inManifest) {
    long times = Math.max(Math.max(lastCommit, lastPrepare), ceiling);
    return isCeilingLast ? times : Math.max(times, inManifest);
  }
}
