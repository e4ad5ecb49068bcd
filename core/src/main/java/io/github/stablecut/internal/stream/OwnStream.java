package io.github.stablecut.internal.stream;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.internal.watch.JournalCommits;
import io.github.stablecut.journal.segment.StoredRecord;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads the transactions that this data centre has committed. The journal has them in the order of
 * their decisions, which is not always that of their commit times. Confined to one thread.
 */
public final class OwnStream extends StreamReader {
  /** Approximate maximum number of transactions held in memory. */
  private static final int MAX_PLACES = 4_096;

  private final JournalCommits.Components parts;
  private final LongUnaryOperator firstPosition;
  private final TreeMap<Long, Long> positions = new TreeMap<>();
  private JournalCommits<TransactionPosition> commits;

  /** All transactions up to this time were found. */
  private long complete;

  /**
   * @param firstPosition for a commit time, a position in the journal at or before the records of
   *     all later transactions of this data centre, prepared ones included
   */
  public OwnStream(JournalCommits.Components parts, Start start, LongUnaryOperator firstPosition) {
    super(parts.journal(), start);
    this.parts = parts;
    this.firstPosition = firstPosition;
    this.complete = start.reached();
    this.commits = commits(start.reached());
  }

  private JournalCommits<TransactionPosition> commits(long after) {
    // The position first, then the check of what is retained.
    long from = firstPosition.applyAsLong(after);
    VectorClock since = parts.local().at(after);
    return new JournalCommits<>(parts, new LocalTransactions(parts.local(), after), since, from);
  }

  @Override
  @Nullable TransactionPosition next() {
    while (true) {
      Map.Entry<Long, Long> first = positions.firstEntry();
      if (first != null && first.getKey() <= complete) {
        return new TransactionPosition(first.getKey(), first.getValue());
      }
      if (parts.local().timeIn(parts.stable().get()) <= complete) {
        // Nothing was committed since, so the last record need not be read again.
        return null;
      }
      JournalCommits.Piece<TransactionPosition> piece = commits.read(MAX_PLACES);
      for (TransactionPosition place : piece.found()) {
        positions.put(place.time(), place.position());
      }
      complete = Math.max(complete, parts.local().timeIn(piece.complete()));
      first = positions.firstEntry();
      if (piece.atEnd() && (first == null || first.getKey() > complete)) {
        return null;
      }
    }
  }

  @Override
  byte[] record(StoredRecord stored, long previous) {
    return TransactionRecord.linked(stored.body(), stored.position(), previous);
  }

  @Override
  void taken() {
    positions.pollFirstEntry();
  }

  @Override
  long complete() {
    return complete;
  }

  @Override
  void restart(long after) {
    positions.clear();
    complete = after;
    commits = commits(after);
  }

  /** Selects the transactions of this data centre after a time. */
  private record LocalTransactions(LocalDataCentre local, long after)
      implements JournalCommits.Selection<TransactionPosition> {
    @Override
    public boolean concerns(Commit commit) {
      return commit.origin().dataCentre() == local.number() && commit.time() > after;
    }

    @Override
    public Optional<TransactionPosition> select(Commit commit, StoredRecord stored) {
      return Optional.of(new TransactionPosition(commit.time(), stored.position()));
    }
  }
}
