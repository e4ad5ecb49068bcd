package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.journal.GroupListener;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.journal.PendingRecord;
import java.util.ArrayList;
import java.util.List;

/** Adds other data centres' commits to a partition's journal. */
final class Arrivals {
  private static final JournalOptions OPTIONS =
      JournalOptions.named("arrivals").withReserveBytes(0);

  /** No thread waits for the records. */
  private static final class NoWaiters implements GroupListener {
    @Override
    public void durable(List<PendingRecord> group) {}

    @Override
    public void failed(List<PendingRecord> group, JournalFailedException failure) {
      throw failure;
    }
  }

  private Arrivals() {}

  /**
   * Returns the disk of a partition that has received everything up to a vector.
   *
   * @param disk of a partition that is not open
   * @param before the vector up to which everything had arrived already
   * @param after whose entry for the partition's own data centre is 0, as in {@code before}
   */
  static LossyDisk add(LossyDisk disk, VectorClock before, VectorClock after) {
    List<PendingRecord> arriving = new ArrayList<>();
    for (int dataCentre = 0; dataCentre < after.size(); dataCentre++) {
      if (after.get(dataCentre) > before.get(dataCentre)) {
        arriving.add(commit(dataCentre, after.get(dataCentre), before, List.of()));
      }
    }
    return arriving.isEmpty() ? disk : add(disk, arriving);
  }

  /**
   * Returns the disk of a partition that has received a transaction without dependencies on others.
   */
  static LossyDisk add(
      LossyDisk disk, int dataCentre, long time, List<TransactionRecord.Entry> effects) {
    return add(disk, List.of(commit(dataCentre, time, VectorClock.ZERO, effects)));
  }

  private static LossyDisk add(LossyDisk disk, List<PendingRecord> arriving) {
    try (Journal journal = Journal.open(disk.journal(), OPTIONS, new NoWaiters(), stored -> {})) {
      arriving.forEach(journal::append);
      journal.flushGroup();
    }
    return new LossyDisk(disk.journal().afterKill(), disk.checkpoints());
  }

  private static PendingRecord commit(
      int dataCentre, long time, VectorClock seen, List<TransactionRecord.Entry> effects) {
    long[] entries = new long[seen.size()];
    for (int i = 0; i < entries.length; i++) {
      // A commit time is above its transaction's snapshot.
      entries[i] = Math.min(seen.get(i), time - 1);
    }
    VectorClock snapshot = VectorClock.ofEntries(entries);
    byte[] body =
        TransactionRecord.encode(
            dataCentre, snapshot, VectorClock.ZERO, TransactionMetadata.none(), effects);
    TransactionRecord.setCommitTime(body, time);
    return new PendingRecord(RecordKind.TRANSACTION, body, body.length);
  }
}
