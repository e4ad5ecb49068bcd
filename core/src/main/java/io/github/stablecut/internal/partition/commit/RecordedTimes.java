package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.record.ClockRecord;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.ReachedRecord;
import io.github.stablecut.journal.segment.StoredRecord;

/** The highest times in a journal's records. Confined to one thread at a time. */
public final class RecordedTimes {
  private final LocalDataCentre local;

  private long lastCommit;

  /** The times of the last commits of other data centres. */
  private VectorClock received = VectorClock.ZERO;

  /** Up to these times all commits of other data centres are here. */
  private VectorClock reached = VectorClock.ZERO;

  /** The entries of other data centres in the snapshots of own commits. */
  private VectorClock read = VectorClock.ZERO;

  /** The promise to other data centres: later transactions have snapshots at or above it. */
  private VectorClock promised = VectorClock.ZERO;

  private long readElsewhere;
  private long lastPrepare;
  private long ceiling;

  /** Whether the last ceiling replaces all earlier ones, including those in manifests. */
  private boolean isCeilingLast;

  RecordedTimes(LocalDataCentre local) {
    this.local = local;
  }

  void commit(Commit commit) {
    int dataCentre = commit.origin().dataCentre();
    if (dataCentre == local.number()) {
      lastCommit = Math.max(lastCommit, commit.time());
      read = read.join(local.with(commit.snapshot(), 0));
      reached(commit.snapshot());
    } else {
      readElsewhere = Math.max(readElsewhere, local.timeIn(commit.snapshot()));
      if (commit.time() > received.get(dataCentre)) {
        received = received.with(dataCentre, commit.time());
      }
    }
  }

  /**
   * Everything of other data centres up to a vector is here: a record states it, or a transaction
   * of this data centre has read at it.
   */
  void reached(VectorClock vector) {
    reached = reached.join(local.with(vector, 0));
  }

  /** Applies a record of how far other data centres have come, and what they were promised. */
  void reached(ReachedRecord record) {
    reached(record.reached());
    promised = promised.join(record.promised());
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

  /** The time of the last commit of this data centre; 0 if there is none. */
  long lastCommit() {
    return lastCommit;
  }

  /**
   * The entries of other data centres in the snapshots of own commits; all partitions had these.
   */
  VectorClock read() {
    return read;
  }

  /**
   * Returns the promise to other data centres: every later transaction has a snapshot at or above
   * it.
   */
  public VectorClock promised() {
    return promised;
  }

  /** The latest time of this data centre that a transaction of another one has read. */
  long readElsewhere() {
    return readElsewhere;
  }

  /** The times of the last commits of other data centres; 0 where there is none. */
  VectorClock received() {
    return received;
  }

  /**
   * Up to these times all commits of other data centres are here. Each data centre's commits arrive
   * in the order of their times, so all before the last one are here too.
   */
  VectorClock reached() {
    return reached.join(received);
  }

  /**
   * The highest time that the clock may have reported; 0 if there is none.
   *
   * @param inManifest the ceiling in the manifest, of dropped clock records
   */
  long greatest(long inManifest) {
    long others = LocalDataCentre.commitTimeOf(received);
    long times = Math.max(Math.max(lastCommit, others), Math.max(lastPrepare, ceiling));
    return isCeilingLast ? times : Math.max(times, inManifest);
  }
}
