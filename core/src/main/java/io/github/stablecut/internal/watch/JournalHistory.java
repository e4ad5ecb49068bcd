package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.journal.segment.StoredRecord;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** Reads the past commits of a partition from its journal. Confined to one thread at a time. */
public final class JournalHistory implements CommitHistory {
  private final JournalCommits<CommittedWrites> commits;

  /**
   * @param after the point after which commits are read
   * @param filter selects the commits
   * @param from a journal position before which there are none of these commits, nor their prepared
   *     records
   */
  public JournalHistory(
      JournalCommits.Components parts, VectorClock after, CommitFilter filter, long from) {
    this.commits = new JournalCommits<>(parts, new Writes(filter), after, from);
  }

  @Override
  public Piece read(int most) {
    return piece(commits.read(most));
  }

  @Override
  public Piece read(int most, LargeReads large) {
    return piece(commits.read(most, large::tryBegin));
  }

  private static Piece piece(JournalCommits.Piece<CommittedWrites> piece) {
    return new Piece(piece.found(), piece.complete(), piece.atEnd());
  }

  /** Selects the transactions that have written objects of a range. */
  private record Writes(CommitFilter filter) implements JournalCommits.Selection<CommittedWrites> {
    @Override
    public boolean concerns(Commit commit) {
      return true;
    }

    @Override
    public Optional<CommittedWrites> select(Commit commit, StoredRecord stored) {
      CommittedWrites.Builder writes = new CommittedWrites.Builder();
      TransactionRecord.read(
          stored.body(),
          stored.position(),
          (of, ordinal, id, effect) -> {
            if (filter.range().contains(id)) {
              writes.add(id, CrdtCodec.typeOf(effect), effects(effect));
            }
          });
      return writes.isEmpty() ? Optional.empty() : Optional.of(writes.build(commit.vector()));
    }

    private List<Bytes> effects(ByteBuffer effect) {
      if (!filter.withEffects()) {
        return List.of();
      }
      byte[] encoded = new byte[effect.remaining()];
      effect.duplicate().get(encoded);
      return List.of(Bytes.wrap(encoded));
    }

    @Override
    public long weight(CommittedWrites found) {
      return found.bytes();
    }
  }
}
