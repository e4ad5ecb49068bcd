package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.StoredRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The past commits of a partition whose journal is in the order of commit times, from that journal.
 * Confined to one thread at a time.
 */
public final class JournalHistory implements CommitHistory {
  /** A piece ends after so many records, wanted or not. */
  private static final int MOST_RECORDS = 4_096;

  /** What of the partition is read. */
  public record Parts(
      Journal journal, Supplier<VectorClock> stable, Consumer<VectorClock> checkKept) {}

  private final Parts parts;
  private final IdRange range;

  /** Everything at or before it was read. */
  private VectorClock complete;

  /** Where the next record is that was not read, or one that was. */
  private long position;

  /**
   * @param after the point after which commits are wanted
   * @param from a position in the journal before which there are none of them
   */
  public JournalHistory(Parts parts, VectorClock after, IdRange range, long from) {
    this.parts = parts;
    this.range = range;
    this.complete = after;
    this.position = from;
    parts.checkKept.accept(after);
  }

  @Override
  public Piece read(int most) {
    VectorClock stable = parts.stable.get();
    Reading reading = new Reading(stable, most);
    try {
      parts.journal.scanWhile(position, reading::accept);
    } catch (IllegalArgumentException e) {
      // A segment was dropped while it was looked for. If that took what comes next, that is told;
      // else what comes next is in the oldest that is left.
      parts.checkKept.accept(complete);
      position = 0;
      return new Piece(List.of(), complete, false);
    }
    // What was forgotten meanwhile may be missing: nothing may be told of it.
    parts.checkKept.accept(complete);
    position = reading.last;
    complete = reading.atEnd ? complete.join(stable) : reading.complete;
    return new Piece(reading.found, complete, reading.atEnd);
  }

  /** One look at the journal. */
  private final class Reading {
    private final VectorClock stable;
    private final int most;
    private final List<CommittedWrites> found = new ArrayList<>();
    private VectorClock complete = JournalHistory.this.complete;
    private long last = position;
    private int records;
    private boolean atEnd = true;

    Reading(VectorClock stable, int most) {
      this.stable = stable;
      this.most = most;
    }

    /** Takes a record and says whether the next one is wanted in this piece. */
    boolean accept(StoredRecord stored) {
      if (stored.kind() == RecordKind.TRANSACTION) {
        Map<Bytes, CrdtType<?, ?, ?, ?>> wanted = new LinkedHashMap<>();
        Commit commit =
            TransactionRecord.read(
                stored.body(),
                stored.position(),
                (of, ordinal, id, effect) -> {
                  if (range.contains(id) && !wanted.containsKey(id)) {
                    wanted.put(id, CrdtCodec.typeOf(effect));
                  }
                });
        if (!commit.isVisibleAt(stable)) {
          return false;
        }
        add(commit, wanted);
      }
      last = stored.position();
      records++;
      atEnd = records < MOST_RECORDS && found.size() < most;
      return atEnd;
    }

    private void add(Commit commit, Map<Bytes, CrdtType<?, ?, ?, ?>> wanted) {
      if (!commit.isVisibleAt(JournalHistory.this.complete)) {
        complete = complete.join(commit.vector());
        if (!wanted.isEmpty()) {
          found.add(new CommittedWrites(commit.vector(), wanted));
        }
      }
    }
  }
}
