package io.github.stablecut.internal.partition;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.internal.clock.MachineClock;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.ReachedRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.internal.stream.OwnStream;
import io.github.stablecut.internal.stream.ReceivedStream;
import io.github.stablecut.internal.stream.StreamBatch;
import io.github.stablecut.internal.stream.StreamReader;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.internal.truncation.SegmentTimes;
import io.github.stablecut.internal.watch.JournalCommits;
import io.github.stablecut.journal.Position;
import io.github.stablecut.journal.StoredRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The streams between a partition and its counterparts in other data centres: its own transactions
 * for them, theirs, and what it passes on. Thread-safe.
 *
 * <p>A stream is ordered by commit times, and each transaction has a link: the commit time of the
 * one before it or, where that is not known, a time since which there was none. So a duplicate is
 * told by its time, and a gap by its link, whoever has passed the transaction on.
 *
 * <p>Invariant: what is here of a stream is a prefix of it, durable or not; of what is durable,
 * {@link #reached} tells up to what time nothing is missing.
 */
public final class PartitionStreams {
  /** The clock of another data centre may be ahead of the one here by this much. */
  private static final Duration MAX_DRIFT = Duration.ofSeconds(60);

  /** So many transactions are looked for at a time. */
  private static final int MOST_PLACES = 4_096;

  private final LocalDataCentre local;
  private final Committer committer;
  private final Sequencer sequencer;
  private final StableTime times;
  private final Horizon horizon;
  private final PeerWatermarks counterparts;
  private final MachineClock clock;

  /** What was promised, whether or not the journal tells already. */
  @GuardedBy("promising")
  private VectorClock intended;

  /** As the journal tells. Changed under the lock. */
  private volatile VectorClock promised;

  private final Object promising = new Object();

  PartitionStreams(
      Committer committer, Horizon horizon, PeerWatermarks counterparts, MachineClock clock) {
    this.local = committer.sequencer().state().local();
    this.committer = committer;
    this.sequencer = committer.sequencer();
    this.times = committer.times();
    this.horizon = horizon;
    this.counterparts = counterparts;
    this.clock = clock;
    this.promised = sequencer.state().times().promised();
    this.intended = promised;
  }

  /**
   * A promise for the stream of this data centre.
   *
   * @param vector transactions of the stream after {@code after} have read at it or later
   * @param after a commit time
   */
  public record Promise(VectorClock vector, long after) {}

  /** What became of a batch. */
  public enum Receipt {
    /** All of it is here, durable or on its way. */
    TAKEN,
    /** Something before it is missing; {@link #last} tells after what. */
    GAP,
    /**
     * One of its transactions does not follow those that are here: its data centre has committed
     * different ones after the same one. What came before it is taken.
     */
    FORK,
    /** It is from a time too far ahead of the clock here: later it is taken. */
    TOO_EARLY,
    /**
     * Too much is in no checkpoint here. What fits was taken; the rest has to be sent again when
     * there is room.
     */
    NO_ROOM
  }

  /** The last transaction of a data centre that is here, durable or on its way; 0 if none is. */
  public long last(int source) {
    return sequencer.ordered(source);
  }

  /** The last transactions of all other data centres that are here, durable or on their way. */
  public VectorClock lastOfAll() {
    return sequencer.ordered();
  }

  /** Where the stream of another data centre goes on here. */
  public StreamReader.Start next(int source) {
    long received = sequencer.inJournal(source);
    long last = last(source);
    return new StreamReader.Start(last, Math.max(last, recorded().get(source)), received);
  }

  /**
   * As {@link #reached}, as far as a restart does not forget it: what others may forget. Never
   * decreases.
   */
  public VectorClock recorded() {
    return times.recorded();
  }

  /**
   * Up to what times all transactions of each data centre are here, durably. Never decreases while
   * the partition is open.
   */
  public VectorClock reached() {
    return times.stable();
  }

  /**
   * Reads a stream.
   *
   * @param source whose transactions
   * @throws io.github.stablecut.error.SnapshotTruncatedException if what comes after it is not kept
   *     any more
   */
  public StreamReader read(int source, StreamReader.Start start) {
    SegmentTimes segments = sequencer.state().segments();
    if (source == local.number()) {
      return new OwnStream(
          new JournalCommits.Parts(
              local,
              committer.journal(),
              times::stable,
              // Only own transactions are read.
              vector -> checkKept(source, local.timeIn(vector))),
          start,
          time -> Position.of(firstSegment(segments, source, time), 0));
    }
    return new ReceivedStream(
        new ReceivedStream.Parts(
            committer.journal(),
            source,
            () -> times.stable().get(source),
            () -> times.received().get(source),
            time -> Position.of(firstSegment(segments, source, time), 0),
            time -> checkKept(source, time)),
        start);
  }

  /** The commit time of the last transaction of this data centre here, durable or not; or 0. */
  public long lastOwn() {
    return sequencer.lastOwn();
  }

  /**
   * Whether a transaction that this data centre has committed, and that another one has, is not
   * here. May not see it if clocks were wrong.
   */
  public boolean lacksOwn(long commitTime) {
    return sequencer.call(() -> times.lacksOwn(commitTime));
  }

  /** Takes a record of a journal. */
  @FunctionalInterface
  public interface RecordVisitor {
    void visit(byte kind, byte[] body);
  }

  /**
   * Shows the records that a copy of this partition, as another data centre, needs beside a
   * checkpoint: how far the streams have come, and what has come of them, or was committed here, up
   * to there and is not in the checkpoint. No other checkpoint may be made meanwhile.
   *
   * @param at a vector up to which everything is here
   * @param newest the newest checkpoint
   */
  public void forEachRecordBeside(
      VectorClock at, Optional<Checkpoint> newest, RecordVisitor visitor) {
    // A new data centre has promised nothing.
    visitor.visit(RecordKind.REACHED, new ReachedRecord(at, VectorClock.ZERO).encode());
    VectorClock inside = newest.map(Checkpoint::at).orElse(VectorClock.ZERO);
    committer
        .journal()
        .scan(
            newest.map(Checkpoint::replayFrom).orElse(0L),
            stored -> {
              if (stored.kind() == RecordKind.TRANSACTION) {
                Commit commit = TransactionRecord.commit(stored.body(), stored.position());
                if (commit.origin().dataCentre() != local.number() && !commit.isVisibleAt(inside)) {
                  visitor.visit(stored.kind(), stored.body());
                }
              }
            });
    ownBeside(at, inside, newest.map(Checkpoint::replayFrom).orElse(0L))
        .forEach((time, place) -> visitor.visit(RecordKind.TRANSACTION, linked(time, place)));
  }

  /**
   * Own transactions up to a snapshot that it does not see, with their places: they have read what
   * a restart has forgotten to have come.
   */
  private SortedMap<Long, Long> ownBeside(VectorClock at, VectorClock inside, long from) {
    SortedMap<Long, Long> places = new TreeMap<>();
    JournalCommits<Boolean> commits =
        new JournalCommits<>(
            // Nothing is truncated while the cut is made.
            new JournalCommits.Parts(local, committer.journal(), times::stable, kept -> {}),
            new JournalCommits.Selection<>() {
              @Override
              public boolean concerns(Commit commit) {
                return commit.origin().dataCentre() == local.number()
                    && commit.time() <= local.timeIn(at)
                    && !commit.isVisibleAt(inside);
              }

              @Override
              public Optional<Boolean> select(Commit commit, StoredRecord stored) {
                var unused = places.put(commit.time(), stored.position());
                return Optional.empty();
              }
            },
            VectorClock.ZERO,
            from);
    while (!commits.read(MOST_PLACES).atEnd()) {
      // It goes on.
    }
    return places;
  }

  /**
   * As others receive it, but for the one before it, which they do not need: it is in no stream.
   */
  private byte[] linked(long time, long position) {
    return TransactionRecord.linked(committer.journal().read(position).body(), position, time - 1);
  }

  private int firstSegment(SegmentTimes segments, int source, long after) {
    // The last registered segment first, then the prepared transactions: a transaction missing in
    // both has no record before that segment, or its outcome is seen.
    int lastKnown = segments.lastKnown();
    long undecided = sequencer.state().prepared().oldestNeeded();
    int first = Math.min(lastKnown, segments.firstAbove(source, after, lastKnown));
    return undecided == Long.MAX_VALUE ? first : Math.min(first, Position.segment(undecided));
  }

  private void checkKept(int source, long after) {
    horizon.check(times.stable().with(source, after));
  }

  /**
   * Takes a part of another data centre's stream. Waits while too much is queued for the journal,
   * which a sync ends, but not for a checkpoint: the caller has more to do.
   *
   * @throws FormatException if it is no part of the stream; what came before the fault is taken
   * @throws io.github.stablecut.error.ReopenException if the journal has failed
   */
  public Receipt receive(StreamBatch batch) {
    int source = batch.source();
    if (!counterparts.has(source)) {
      throw new FormatException("data centre " + source + " is not a member");
    }
    List<CommitRequest> transactions = decoded(batch);
    if (isTooEarly(batch.through())) {
      return Receipt.TOO_EARLY;
    }
    long last = batch.after();
    for (int i = 0; i < transactions.size(); i++) {
      CommitRequest transaction = transactions.get(i);
      last = transaction.time();
      if (i == transactions.size() - 1) {
        long end = last;
        transaction.then(
            () -> {
              boolean unused = times.reached(source, end, batch.through());
            });
      }
      if (committer.isBacklogFull()) {
        return Receipt.NO_ROOM;
      }
      committer.awaitQueue();
      Sequencer.Arrival arrival = sequencer.receive(transaction);
      if (arrival == Sequencer.Arrival.GAP) {
        return Receipt.GAP;
      } else if (arrival == Sequencer.Arrival.FORK) {
        return Receipt.FORK;
      }
    }
    if (Math.max(last(source), times.reached(source)) < last) {
      return Receipt.GAP;
    }
    if (transactions.isEmpty() && times.reached(source, last, batch.through())) {
      sequencer.progress().changed();
      // Watches may hold what has become visible.
      committer.feed().wake();
    }
    counterparts.promised(source, batch.promise());
    return Receipt.TAKEN;
  }

  /** Whether transactions are taken now; if not, {@link #receive} answers {@code NO_ROOM}. */
  public boolean hasRoom() {
    return !committer.isBacklogFull();
  }

  private List<CommitRequest> decoded(StreamBatch batch) {
    List<CommitRequest> transactions = new ArrayList<>(batch.records().size());
    long previous = batch.after();
    for (byte[] record : batch.records()) {
      CommitRequest transaction = CommitRequest.received(record);
      check(transaction, batch, previous);
      transactions.add(transaction);
      previous = transaction.time();
    }
    return transactions;
  }

  private static void check(CommitRequest transaction, StreamBatch batch, long previous) {
    VectorClock snapshot = transaction.snapshot();
    long time = transaction.time();
    if (transaction.dataCentre() != batch.source()
        || transaction.facts().previous().isEmpty()
        || transaction.facts().previous().getAsLong() != previous
        || time <= previous
        || time > batch.through()
        || time <= LocalDataCentre.floorOf(snapshot)) {
      throw new FormatException(
          "the transaction of data centre %d at %s, which has read at %s, does not follow the one at %s in a part of its stream through %s"
              .formatted(
                  transaction.dataCentre(),
                  Timestamp.format(time),
                  Timestamp.format(snapshot),
                  Timestamp.format(previous),
                  Timestamp.format(batch.through())));
    }
  }

  private boolean isTooEarly(long time) {
    long millis = Timestamp.epochMillis(time);
    return millis - clock.millis() > MAX_DRIFT.toMillis()
        && !clock.isConfirmedBy(millis, MAX_DRIFT);
  }

  /**
   * Has somebody told after each group of commits that is durable, own ones or received; only the
   * last one who asked. Called on the thread that flushes groups, so it must return at once.
   */
  public void tellOfCommits(Runnable listener) {
    committer.tell(listener);
  }

  /**
   * What own commits of earlier openings, as far as they are in the journal, have read of other
   * data centres: all partitions of the store had it.
   */
  public VectorClock readBefore() {
    return committer.readBefore();
  }

  /** Everything of other data centres up to a vector is here, as another partition tells. */
  public void isHere(Set<Integer> dataCentres, VectorClock vector) {
    for (int dataCentre : dataCentres) {
      boolean unused = times.reached(dataCentre, 0, vector.get(dataCentre));
    }
  }

  /** From now on keeps what another data centre may need. */
  public void keepFor(int dataCentre) {
    counterparts.add(dataCentre);
  }

  /** From now on keeps nothing for a data centre: no transaction of it can come any more. */
  public void release(int dataCentre) {
    counterparts.release(dataCentre);
  }

  /**
   * Refuses own commits from now on; {@link #lastOwn} then is the last one, but for prepared ones.
   */
  public void closeOwn(String why) {
    horizon.closeToCommits(why);
  }

  /** Takes own commits again. */
  public void reopenOwn() {
    horizon.openToCommits();
  }

  /** What a data centre has, durably, as it has told; zero if it has told nothing. */
  public VectorClock acknowledged(int dataCentre) {
    return counterparts.reached(dataCentre);
  }

  /**
   * Up to when a data centre has the streams of which it lacks something that is here: its own
   * ones, and those of others, which it may get from here.
   *
   * @return the earliest time; empty if it lacks nothing
   */
  public OptionalLong lacksAfter(int dataCentre) {
    VectorClock here = local.with(lastOfAll(), lastOwn());
    VectorClock there = acknowledged(dataCentre);
    return IntStream.range(0, here.size())
        .filter(source -> source != dataCentre && there.get(source) < here.get(source))
        .mapToLong(there::get)
        .min();
  }

  /** Takes note of what the counterpart in another data centre has, durably. */
  public void acknowledged(int dataCentre, VectorClock reached) {
    counterparts.reached(dataCentre, reached);
  }

  /**
   * Has the journal tell how far the streams of other data centres have come, so that a restart
   * does not forget it; waits for a sync.
   *
   * @return how far; the entry of this data centre is 0
   */
  public VectorClock recordReached() {
    VectorClock reached = local.with(times.stable(), 0);
    if (reached.isAtOrBefore(times.recorded())) {
      return reached;
    }
    record(reached);
    return reached;
  }

  /** Has the journal tell this and what was promised; waits for a sync. */
  private void record(VectorClock reached) {
    VectorClock told = intend(VectorClock.ZERO);
    committer.record(saved(reached, told));
    times.recorded(reached);
    synchronized (promising) {
      promised = promised.join(told);
    }
  }

  /** Takes note of a promise; returns what is promised with it, durable or not. */
  private VectorClock intend(VectorClock more) {
    synchronized (promising) {
      intended = intended.join(more);
      return intended;
    }
  }

  private static SavedRecord saved(VectorClock reached, VectorClock promised) {
    return new SavedRecord(RecordKind.REACHED, new ReachedRecord(reached, promised).encode());
  }

  /**
   * A record that says again what {@link #recordReached} and {@link #promise} have told the
   * journal, so that the segments may be dropped that say it; empty if they have told nothing.
   */
  Optional<SavedRecord> repeated() {
    VectorClock recorded = local.with(times.recorded(), 0);
    VectorClock told = intend(VectorClock.ZERO);
    return recorded.join(told).equals(VectorClock.ZERO)
        ? Optional.empty()
        : Optional.of(saved(recorded, told));
  }

  /** What other data centres were promised ({@link #promise}), as the journal tells. */
  public VectorClock promised() {
    return promised;
  }

  /**
   * Makes a promise for the stream of this data centre: what its later transactions have read at
   * least. Others prune by it, so it has to hold after a restart and a move, too: the journal has
   * it when this returns, with how far other data centres have come. Waits for a sync if either is
   * more than the journal tells.
   *
   * @param recorded how far the streams of other data centres have come to all partitions, as their
   *     journals tell
   */
  public Promise promise(VectorClock recorded) {
    VectorClock durable = sequencer.shared(times.lastComplete());
    VectorClock claimed = horizon.intendFrontier(durable);
    // What was not ordered by then reads at the promise or later.
    long last = lastOwn();
    VectorClock vector = local.lowerOthers(claimed, recorded);
    VectorClock unused = intend(vector);
    if (!vector.isAtOrBefore(promised)) {
      record(local.with(times.stable(), 0));
    }
    return new Promise(vector, last);
  }
}
