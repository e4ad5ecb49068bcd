package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.EndRecord;
import io.github.stablecut.internal.record.ReachedRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.segment.LargeRecords;
import io.github.stablecut.journal.segment.StoredRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.Supplier;

/**
 * Reads the past commits of a partition from its journal, in pieces. Confined to one thread at a
 * time.
 *
 * <p>The journal is in the order of the times that the partition has issued: commit times of its
 * own decisions, and prepare times. The outcome of a transaction that another partition has decided
 * may be recorded after later commit times, but never before its prepared record, whose time is at
 * or before the commit time. So while a transaction is prepared and its outcome was not read,
 * nothing at or after its prepare time is complete. For example, prepared at 8 and committed at 10:
 *
 * <pre>
 *   journal    commit 5    prepared 8    commit 20    outcome 10    commit 21
 *   complete          5             5            7            20           21
 * </pre>
 *
 * <p>A record may be stable although an earlier one is not: if a transaction is also prepared at 12
 * in this example, then 10 is stable and 20 is not. So a pass that has skipped a record ends only
 * at the end of the journal, and the next pass starts at the skipped record.
 *
 * <p>Commits of another data centre are in the order of its stream. They are read as soon as they
 * are durable: they may become visible much later, and later commits need not wait for them. The
 * progress of a stream at a journal position follows from its last transaction, the snapshots of
 * own transactions, and records of the kind REACHED.
 *
 * @param <T> the data that is read of a commit
 */
public final class JournalCommits<T> {
  /** The maximum number of records in a piece, selected or not. */
  private static final int MAX_RECORDS = 4_096;

  /** The maximum size of a piece's selected data, in bytes. */
  static final long MAX_BYTES = 1 << 20;

  /**
   * The parts of the partition that are read.
   *
   * @param stable the vector up to which commits are read
   * @param checkKept throws if commits after a vector were truncated
   */
  public record Components(
      LocalDataCentre local,
      Journal journal,
      Supplier<VectorClock> stable,
      Consumer<VectorClock> checkKept) {}

  /**
   * Selects commits.
   *
   * @param <T> the data that is read of a commit
   */
  public interface Selection<T> {
    /** Whether a commit is read. */
    boolean concerns(Commit commit);

    /** Returns the selected data of a commit; empty if there is none. */
    Optional<T> select(Commit commit, StoredRecord stored);

    /** The size of the selected data in bytes, if it may be large. */
    default long weight(T found) {
      return 0;
    }
  }

  /**
   * A piece.
   *
   * @param found the selected data; unordered where a later decision can have an earlier commit
   *     time; incomplete commits may be found again
   * @param complete a vector before all commits of later pieces
   * @param atEnd whether the piece reaches the stable vector at the time of the call
   */
  public record Piece<T>(List<T> found, VectorClock complete, boolean atEnd) {}

  private final Components parts;
  private final Selection<T> selection;

  /** All commits at or before it were read. */
  private VectorClock complete;

  /**
   * For each data centre, the time up to which all commits were read or precede the requested
   * point. For this data centre, prepared transactions and unstable commits are excepted.
   */
  private VectorClock read = VectorClock.ZERO;

  /** The journal position at which the next pass starts. */
  private long position;

  /** Whether the record at {@link #position} was read. */
  private boolean isRead;

  /**
   * The value of {@link Journal#durable} when the journal was last read to its end; -1 if it was
   * not.
   */
  private long readDurable = -1;

  /** The position before which no pass ends, because records up to it were skipped. */
  private long skippedUpTo;

  /** The prepare times of transactions whose outcome was not read yet. */
  private final Map<TransactionId, Long> prepared = new HashMap<>();

  /**
   * @param after the point after which commits are read
   * @param from a journal position before which there are none of these commits, nor their prepared
   *     records
   */
  public JournalCommits(Components parts, Selection<T> selection, VectorClock after, long from) {
    this.parts = parts;
    this.selection = selection;
    this.complete = after;
    this.position = from;
    parts.checkKept.accept(after);
  }

  /**
   * Reads the next piece.
   *
   * @param most the approximate maximum number of commits
   * @throws io.github.stablecut.error.SnapshotTruncatedException if the next commits were truncated
   */
  public Piece<T> read(int most) {
    return read(most, bytes -> true);
  }

  /**
   * Like {@link #read(int)}.
   *
   * @param mayBegin whether a large record of a size may be read; if not, the piece ends before it
   */
  Piece<T> read(int most, LongPredicate mayBegin) {
    VectorClock stable = parts.stable.get();
    long durable = parts.journal.durable();
    Pass pass = new Pass(stable, most, mayBegin);
    try {
      // If only time has passed, the last record need not be read again.
      if (!isRead || durable != readDurable) {
        parts.journal.scanWhile(position, pass::accept, pass::decide);
        readDurable = pass.atEnd ? durable : -1;
      }
    } catch (IllegalArgumentException e) {
      // A segment was truncated meanwhile. If it had the next commits, checkKept throws; otherwise
      // they are in the oldest remaining segment.
      parts.checkKept.accept(complete);
      position = 0;
      isRead = false;
      return new Piece<>(List.of(), complete, false);
    }
    // Commits may have been truncated during the pass: don't report an incomplete result.
    parts.checkKept.accept(complete);
    if (pass.isRefused && !pass.mayEnd()) {
      // The commits found are incomplete: later passes read these records again.
      skippedUpTo = Math.max(skippedUpTo, pass.last);
      return new Piece<>(List.of(), complete, false);
    }
    advancePast(pass);
    return new Piece<>(List.copyOf(pass.found), complete, pass.atEnd);
  }

  private void advancePast(Pass pass) {
    VectorClock until;
    if (pass.atEnd) {
      until = parts.local.lower(pass.stable, pass.firstSkippedTime - 1);
      read = read.join(until);
      // Transactions prepared at or before the stable vector are decided; committed ones were read.
      long stable = parts.local.timeIn(pass.stable);
      prepared.values().removeIf(time -> time <= stable);
    } else {
      until = read.meet(pass.stable);
      for (long time : prepared.values()) {
        until = parts.local.lower(until, time - 1);
      }
    }
    // Not the join of both: commits between them may be missing.
    if (complete.isAtOrBefore(until)) {
      complete = until;
    }
    boolean hasSkipped = pass.firstSkipped != 0;
    skippedUpTo = hasSkipped ? pass.last : 0;
    position = hasSkipped ? pass.firstSkipped : pass.last;
    isRead = !hasSkipped && (isRead || pass.records > 0);
  }

  /** One pass over the journal. */
  private final class Pass {
    private final VectorClock stable;
    private final int most;
    private final LongPredicate mayBegin;
    private final List<T> found = new ArrayList<>();

    private long last = position;

    /** The position of the first unstable record; 0 if there was none. */
    private long firstSkipped;

    /** The least unstable commit time of this data centre. */
    private long firstSkippedTime = Long.MAX_VALUE;

    private int records;
    private long bytes;
    private boolean atEnd = true;

    /** Whether the pass ended before a large record. */
    private boolean isRefused;

    Pass(VectorClock stable, int most, LongPredicate mayBegin) {
      this.mayBegin = mayBegin;
      this.stable = stable;
      this.most = most;
    }

    LargeRecords.Decision decide(long at, long bytes) {
      if (isRead && at == position) {
        return LargeRecords.Decision.SKIP;
      }
      if (mayBegin.test(bytes)) {
        return LargeRecords.Decision.READ;
      }
      isRefused = true;
      atEnd = false;
      return LargeRecords.Decision.STOP;
    }

    /** Whether no skipped records prevent that the pass ends before the end of the journal. */
    private boolean mayEnd() {
      return firstSkipped == 0 && last >= skippedUpTo;
    }

    /** Processes a record; returns whether this piece continues with the next one. */
    boolean accept(StoredRecord stored) {
      if (isRead && stored.position() == position) {
        return true;
      }
      switch (stored.kind()) {
        case RecordKind.TRANSACTION -> addTransaction(stored);
        case RecordKind.PREPARED ->
            TransactionRecord.facts(stored.body(), stored.position())
                .id()
                .ifPresent(id -> prepared.put(id, commit(stored).time()));
        case RecordKind.END -> prepared.remove(EndRecord.read(stored.body(), stored.position()));
        case RecordKind.REACHED ->
            read = read.join(ReachedRecord.read(stored.body(), stored.position()).reached());
        default -> {
          // Other records don't concern commits.
        }
      }
      last = stored.position();
      records++;
      atEnd = !mayEnd() || (records < MAX_RECORDS && bytes < MAX_BYTES && found.size() < most);
      return atEnd;
    }

    private static Commit commit(StoredRecord stored) {
      return TransactionRecord.commit(stored.body(), stored.position());
    }

    private void addTransaction(StoredRecord stored) {
      TransactionRecord.facts(stored.body(), stored.position()).id().ifPresent(prepared::remove);
      Commit commit = commit(stored);
      boolean isOwn = commit.origin().dataCentre() == parts.local.number();
      if (isOwn && !commit.isVisibleAt(stable)) {
        firstSkipped = firstSkipped == 0 ? stored.position() : firstSkipped;
        firstSkippedTime = Math.min(firstSkippedTime, commit.time());
        return;
      }
      read =
          isOwn
              ? read.join(commit.vector())
              : read.join(VectorClock.ZERO.with(commit.origin().dataCentre(), commit.time()));
      if (selection.concerns(commit) && !commit.isVisibleAt(complete)) {
        selection.select(commit, stored).ifPresent(this::add);
      }
    }

    private void add(T selected) {
      found.add(selected);
      bytes += selection.weight(selected);
    }
  }
}
