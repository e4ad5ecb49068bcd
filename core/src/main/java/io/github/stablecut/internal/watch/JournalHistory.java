package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.journal.StoredRecord;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/** The past commits of a partition, from its journal. Confined to one thread at a time. */
public final class JournalHistory implements CommitHistory {
  private final JournalCommits<CommittedWrites> commits;

  /**
   * @param after the point after which commits are wanted
   * @param range of the objects that are wanted
   * @param from a position in the journal before which there is nothing of them, nor their prepared
   *     records
   */
  public JournalHistory(JournalCommits.Parts parts, VectorClock after, IdRange range, long from) {
    this.commits = new JournalCommits<>(parts, new Writes(range), after, from);
  }

  @Override
  public Piece read(int most) {
    JournalCommits.Piece<CommittedWrites> piece = commits.read(most);
    return new Piece(piece.found(), piece.complete(), piece.atEnd());
  }

  /** Selects the transactions that have written objects of a range. */
  private record Writes(IdRange range) implements JournalCommits.Selection<CommittedWrites> {
    @Override
    public boolean concerns(Commit commit) {
      return true;
    }

    @Override
    public Optional<CommittedWrites> select(Commit commit, StoredRecord stored) {
      Set<CommittedWrites.Written> wanted = new LinkedHashSet<>();
      Commit unused =
          TransactionRecord.read(
              stored.body(),
              stored.position(),
              (of, ordinal, id, effect) -> {
                if (range.contains(id)) {
                  wanted.add(new CommittedWrites.Written(id, CrdtCodec.typeOf(effect)));
                }
              });
      return wanted.isEmpty()
          ? Optional.empty()
          : Optional.of(new CommittedWrites(commit.vector(), wanted));
    }
  }
}
