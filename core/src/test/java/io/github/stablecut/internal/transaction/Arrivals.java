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

/** What other data centres have committed, put into a partition's journal. */
final class Arrivals {
  private static final JournalOptions OPTIONS =
      JournalOptions.named("arrivals").withReserveBytes(0);

  /** Nobody waits for the records. */
  private static final class Nobody implements GroupListener {
    @Override
    public void durable(List<PendingRecord> group) {}

    @Override
    public void failed(List<PendingRecord> group, JournalFailedException failure) {
      throw failure;
    }
  }

  private Arrivals() {}

  /**
   * The disk of a partition to which everything has come up to a vector.
   *
   * @param disk of a partition that is not open
   * @param before the vector up to which everything had come already
   * @param after whose entry for the partition's own data centre is 0, as that of {@code before}
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

  /** The disk of a partition to which a transaction has come that has seen nothing of others. */
  static LossyDisk add(
      LossyDisk disk, int dataCentre, long time, List<TransactionRecord.Entry> effects) {
    return add(disk, List.of(commit(dataCentre, time, VectorClock.ZERO, effects)));
  }

  private static LossyDisk add(LossyDisk disk, List<PendingRecord> arriving) {
    try (Journal journal = Journal.open(disk.journal(), OPTIONS, new Nobody(), stored -> {})) {
      arriving.forEach(journal::append);
      journal.flushGroup();
    }
    return new LossyDisk(disk.journal().afterKill(), disk.checkpoints());
  }

  private static PendingRecord commit(
      int dataCentre, long time, VectorClock seen, List<TransactionRecord.Entry> effects) {
    long[] entries = new long[seen.size()];
    for (int i = 0; i < entries.length; i++) {
      // A commit time is above all that its transaction has seen.
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
