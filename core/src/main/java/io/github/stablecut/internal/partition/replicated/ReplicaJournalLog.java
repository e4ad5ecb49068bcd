package io.github.stablecut.internal.partition.replicated;

import io.github.stablecut.internal.replica.LogRecord;
import io.github.stablecut.internal.replica.ReplicaInvariantException;
import io.github.stablecut.internal.replica.ReplicaLog;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.LogEpochs;
import io.github.stablecut.journal.PendingRecord;
import io.github.stablecut.journal.segment.LogSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The journal of a partition as the log of a replica; reopening replaces the journal. Only the
 * replica's thread changes it, which is the journal's flushing thread while the replica follows.
 */
final class ReplicaJournalLog implements ReplicaLog {
  private final Supplier<Journal> journal;
  private final LongSupplier first;
  private final VoteState promises;

  /**
   * @param first the oldest retained record, defined even while no journal is open
   */
  ReplicaJournalLog(Supplier<Journal> journal, LongSupplier first, VoteState promises) {
    this.journal = journal;
    this.first = first;
    this.promises = promises;
  }

  private Journal journal() {
    return journal.get();
  }

  @Override
  public long next() {
    return journal().nextRecord();
  }

  @Override
  public long first() {
    return first.getAsLong();
  }

  @Override
  public LogEpochs epochs() {
    return journal().epochs();
  }

  @Override
  public LogSpace spaceAfter(long bytes) {
    return journal().room(bytes);
  }

  @Override
  public void append(List<LogRecord> records) {
    Journal target = journal();
    long next = target.nextRecord() + records.size();
    records.stream()
        .map(one -> new PendingRecord(one.kind(), one.body(), one.body().length))
        .toList()
        .forEach(target::append);
    target.flushGroup();
    target
        .failure()
        .ifPresent(
            why -> {
              throw new IllegalStateException(why);
            });
    if (target.nextRecord() != next) {
      throw new ReplicaInvariantException(
          "the log ends at record %d after a group that ends at %d: please report this bug"
              .formatted(target.nextRecord(), next));
    }
  }

  @Override
  public void beginEpoch(long epoch) {
    journal().beginEpoch(epoch);
  }

  @Override
  public void cut(long number, long epoch) {
    journal().cut(number, epoch);
  }

  @Override
  public List<LogRecord> read(long from, long to, long maxBytes) {
    List<LogRecord> read = new ArrayList<>();
    long[] bytes = {0};
    journal()
        .scanNumbers(
            from,
            (number, record) -> {
              read.add(new LogRecord(record.kind(), record.body()));
              bytes[0] += record.body().length;
              return number + 1 < to && bytes[0] < maxBytes;
            });
    return read;
  }

  /**
   * The newest promised epoch. An epoch in the log counts too: it was promised before its records
   * came.
   */
  @Override
  public long promisedEpoch() {
    return Math.max(promises.epoch(), epochs().last());
  }

  @Override
  public void promiseEpoch(long epoch) {
    promises.promise(epoch);
  }

  @Override
  public long lossMark() {
    return promises.shortened();
  }

  @Override
  public void markRecovered() {
    promises.restore();
  }
}
