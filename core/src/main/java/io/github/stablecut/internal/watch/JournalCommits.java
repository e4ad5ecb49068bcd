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
import io.github.stablecut.journal.StoredRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reads the past commits of a partition from its journal, in pieces. Confined to one thread at a
 * time.
 *
 * <p>The journal is in the order of the times that the partition has given: commit times of what it
 * has decided itself, and prepare times. The outcome of a transaction that another partition has
 * decided comes later than its time may be, but not earlier than its prepared record, whose time is
 * at or before its own. So while a transaction is prepared and its end was not read, nothing at or
 * after its prepare time is complete. For example, prepared at 8 and committed at 10:
 *
 * <pre>
 *   journal    commit 5    prepared 8    commit 20    outcome 10    commit 21
 *   complete          5             5            7            20           21
 * </pre>
 *
 * <p>Of two own records of which the second is stable the first may not be: if above a transaction
 * is prepared at 12 too, then 10 is stable while 20 is not. So a reading that has passed over
 * something ends only where the journal does, and the next one begins with what was passed over.
 *
 * <p>Those of another data centre are in the order of its stream. They are read as soon as they are
 * durable: it may be long until they are visible, and what follows them need not wait. How far a
 * stream had come where the reading is, its last transaction tells, and the snapshots of own ones,
 * and records of the kind REACHED.
 *
 * @param <T> what is read of a commit
 */
public final class JournalCommits<T> {
  /** A piece ends after so many records, wanted or not. */
  private static final int MOST_RECORDS = 4_096;

  /** And after so many bytes of what was selected. */
  private static final long MOST_BYTES = 1 << 20;

  /**
   * What of the partition is read.
   *
   * @param stable the vector up to which commits are read
   * @param checkKept throws if what came after a vector is not kept any more
   */
  public record Parts(
      LocalDataCentre local,
      Journal journal,
      Supplier<VectorClock> stable,
      Consumer<VectorClock> checkKept) {}

  /**
   * Selects commits.
   *
   * @param <T> what is read of a commit
   */
  public interface Selection<T> {
    /** Whether a commit is read. */
    boolean concerns(Commit commit);

    /** What is read of a commit; empty if nothing of it is wanted. */
    Optional<T> select(Commit commit, StoredRecord stored);

    /** How many bytes it holds of a commit, if that may be many. */
    default long weight(T found) {
      return 0;
    }
  }

  /**
   * A piece.
   *
   * @param found what was selected; not in the order of commit times, if what is decided later can
   *     have an earlier time; what is not complete may be found again
   * @param complete every later piece's commits are after it
   * @param atEnd whether it reaches the stable vector of the time of the call
   */
  public record Piece<T>(List<T> found, VectorClock complete, boolean atEnd) {}

  private final Parts parts;
  private final Selection<T> selection;

  /** Everything at or before it was read. */
  private VectorClock complete;

  /**
   * Of each data centre everything up to its entry was read, or is at or before the point after
   * which commits are wanted; of this one but for prepared transactions, and what is not stable.
   */
  private VectorClock read = VectorClock.ZERO;

  /** Where the next reading begins. */
  private long position;

  /** Whether the record there was read. */
  private boolean isRead;

  /** {@link Journal#durable} when the journal was read to its end; -1 if it was not. */
  private long readDurable = -1;

  /** Before it no reading ends, because some records up to it were passed over. */
  private long passedUpTo;

  /** The prepare times of transactions whose outcome was not read yet. */
  private final Map<TransactionId, Long> prepared = new HashMap<>();

  /**
   * @param after the point after which commits are wanted
   * @param from a position in the journal before which there is nothing of them, nor their prepared
   *     records
   */
  public JournalCommits(Parts parts, Selection<T> selection, VectorClock after, long from) {
    this.parts = parts;
    this.selection = selection;
    this.complete = after;
    this.position = from;
    parts.checkKept.accept(after);
  }

  /**
   * Reads the next piece.
   *
   * @param most about so many commits
   * @throws io.github.stablecut.error.SnapshotTruncatedException if what comes next is not kept any
   *     more
   */
  public Piece<T> read(int most) {
    VectorClock stable = parts.stable.get();
    long durable = parts.journal.durable();
    Reading reading = new Reading(stable, most);
    try {
      // While time passes and nothing is written, the last record need not be read again.
      if (!isRead || durable != readDurable) {
        parts.journal.scanWhile(position, reading::accept);
        readDurable = reading.atEnd ? durable : -1;
      }
    } catch (IllegalArgumentException e) {
      // A segment was dropped while it was looked for. If that took what comes next, that is told;
      // else what comes next is in the oldest that is left.
      parts.checkKept.accept(complete);
      position = 0;
      isRead = false;
      return new Piece<>(List.of(), complete, false);
    }
    // What was forgotten meanwhile may be missing: nothing may be told of it.
    parts.checkKept.accept(complete);
    goOnAfter(reading);
    return new Piece<>(List.copyOf(reading.found), complete, reading.atEnd);
  }

  private void goOnAfter(Reading reading) {
    VectorClock until;
    if (reading.atEnd) {
      until = parts.local.lower(reading.stable, reading.firstPassedTime - 1);
      read = read.join(until);
      // What is prepared at or before the stable vector is decided, and if committed it was read.
      long stable = parts.local.timeIn(reading.stable);
      var unused = prepared.values().removeIf(time -> time <= stable);
    } else {
      until = read.meet(reading.stable);
      for (long time : prepared.values()) {
        until = parts.local.lower(until, time - 1);
      }
    }
    // Not the join of both: what is between them may be still to come.
    if (complete.isAtOrBefore(until)) {
      complete = until;
    }
    boolean hasPassed = reading.firstPassed != 0;
    passedUpTo = hasPassed ? reading.last : 0;
    position = hasPassed ? reading.firstPassed : reading.last;
    isRead = !hasPassed && (isRead || reading.records > 0);
  }

  /** One look at the journal. */
  private final class Reading {
    private final VectorClock stable;
    private final int most;
    private final List<T> found = new ArrayList<>();

    private long last = position;

    /** Where the first record is that is not stable; 0 if there was none. */
    private long firstPassed;

    /** The least commit time of this data centre that is not stable. */
    private long firstPassedTime = Long.MAX_VALUE;

    private int records;
    private long bytes;
    private boolean atEnd = true;

    Reading(VectorClock stable, int most) {
      this.stable = stable;
      this.most = most;
    }

    /** Takes a record and says whether the next one is wanted in this piece. */
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
        case RecordKind.END -> {
          var unused = prepared.remove(EndRecord.read(stored.body(), stored.position()));
        }
        case RecordKind.REACHED ->
            read = read.join(ReachedRecord.read(stored.body(), stored.position()).reached());
        default -> {
          // It says nothing of commits.
        }
      }
      last = stored.position();
      records++;
      boolean mayEnd = firstPassed == 0 && last >= passedUpTo;
      atEnd = !mayEnd || (records < MOST_RECORDS && bytes < MOST_BYTES && found.size() < most);
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
        firstPassed = firstPassed == 0 ? stored.position() : firstPassed;
        firstPassedTime = Math.min(firstPassedTime, commit.time());
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
