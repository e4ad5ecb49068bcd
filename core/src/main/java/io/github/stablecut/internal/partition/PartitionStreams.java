package io.github.stablecut.internal.partition;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.internal.clock.MachineClock;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Committer;
import io.github.stablecut.internal.partition.commit.SavedRecord;
import io.github.stablecut.internal.partition.commit.Sequencer;
import io.github.stablecut.internal.partition.commit.StableTime;
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
import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.StoredRecord;
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
 * The transaction streams between a partition and its peers in other data centres: its own
 * transactions, theirs, and those that it passes on. Thread-safe.
 *
 * <p>A stream is ordered by commit times. Each transaction has a link: the commit time of the
 * previous one or, if that is unknown, a time since which there was none. So the commit time
 * reveals a duplicate and the link reveals a gap, whichever data centre passed the transaction on.
 *
 * <p>Invariant: the transactions of a stream that are here, durable or not, are a prefix of it.
 * {@link #reached} is the time up to which no durable one is missing.
 */
public final class PartitionStreams {
  /** Maximum time by which another data centre's clock may be ahead of the local one. */
  private static final Duration MAX_DRIFT = Duration.ofSeconds(60);

  /** Maximum number of transactions that one search collects. */
  private static final int MAX_FOUND = 4_096;

  private final LocalDataCentre local;
  private final Committer committer;
  private final Sequencer sequencer;
  private final StableTime times;
  private final Horizon horizon;
  private final PeerWatermarks peers;
  private final MachineClock clock;

  /** The promise to other data centres, recorded in the journal or not. */
  @GuardedBy("promising")
  private VectorClock intended;

  /** The promise that the journal has. Written under the lock. */
  private volatile VectorClock promised;

  private final Object promising = new Object();

  PartitionStreams(Committer committer, Horizon horizon, PeerWatermarks peers, MachineClock clock) {
    this.local = committer.sequencer().state().local();
    this.committer = committer;
    this.sequencer = committer.sequencer();
    this.times = committer.times();
    this.horizon = horizon;
    this.peers = peers;
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

  /** The outcome of a batch. */
  public enum Receipt {
    /** All of it is here, durable or submitted. */
    TAKEN,
    /** A gap: an earlier transaction is missing; {@link #last} is the last one that is here. */
    GAP,
    /**
     * One of its transactions does not follow the present ones: its data centre has committed
     * different ones after the same transaction. The transactions before it are accepted.
     */
    FORK,
    /** Its times are too far ahead of the local clock; it will be accepted later. */
    TOO_EARLY,
    /**
     * Too much is not yet in a checkpoint. What fits was accepted; the sender must resend the rest
     * later.
     */
    NO_ROOM
  }

  /** The last transaction of a data centre that is here, durable or submitted; 0 if none is. */
  public long last(int source) {
    return sequencer.ordered(source);
  }

  /** The last transactions of all other data centres that are here, durable or submitted. */
  public VectorClock lastOfAll() {
    return sequencer.ordered();
  }

  /** Returns the point at which to resume the stream of another data centre. */
  public StreamReader.Start next(int source) {
    long received = sequencer.inJournal(source);
    long last = last(source);
    return new StreamReader.Start(last, Math.max(last, recorded().get(source)), received);
  }

  /**
   * The part of {@link #reached} that survives a restart, which other data centres may rely on to
   * discard records. Never decreases.
   */
  public VectorClock recorded() {
    return times.recorded();
  }

  /**
   * The times up to which all transactions of each data centre are durable here. Never decreases
   * while the partition is open.
   */
  public VectorClock reached() {
    return times.stable();
  }

  /**
   * Reads a stream.
   *
   * @param source the data centre that committed the transactions
   * @throws io.github.stablecut.error.SnapshotTruncatedException if the transactions after the
   *     start are truncated
   */
  public StreamReader read(int source, StreamReader.Start start) {
    SegmentTimes segments = sequencer.state().segments();
    if (source == local.number()) {
      return new OwnStream(
          new JournalCommits.Components(
              local,
              committer.journal(),
              times::stable,
              // Only own transactions are read.
              vector -> checkKept(source, local.timeIn(vector))),
          start,
          time -> Position.of(firstSegment(segments, source, time), 0));
    }
    return new ReceivedStream(
        new ReceivedStream.Components(
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
   * Whether a transaction that this data centre committed, and that another one has, is missing
   * here. May miss it if clocks were wrong.
   */
  public boolean lacksOwn(long commitTime) {
    return sequencer.call(() -> times.lacksOwn(commitTime));
  }

  /** Receives records of a journal. */
  @FunctionalInterface
  public interface RecordVisitor {
    void visit(byte kind, byte[] body);
  }

  /**
   * Visits the records that a copy of this partition needs besides a checkpoint to become another
   * data centre. These are the progress of the streams, and the transactions of other data centres
   * and own ones up to there that the checkpoint lacks. No other checkpoint may be made meanwhile.
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
   * The positions of own transactions up to a vector that the checkpoint lacks: they have read
   * transactions of other data centres whose arrival a restart has forgotten.
   */
  private SortedMap<Long, Long> ownBeside(VectorClock at, VectorClock inside, long from) {
    SortedMap<Long, Long> places = new TreeMap<>();
    JournalCommits<Boolean> commits =
        new JournalCommits<>(
            // Nothing is truncated while the cut is made.
            new JournalCommits.Components(local, committer.journal(), times::stable, kept -> {}),
            new JournalCommits.Selection<>() {
              @Override
              public boolean concerns(Commit commit) {
                return commit.origin().dataCentre() == local.number()
                    && commit.time() <= local.timeIn(at)
                    && !commit.isVisibleAt(inside);
              }

              @Override
              public Optional<Boolean> select(Commit commit, StoredRecord stored) {
                places.put(commit.time(), stored.position());
                return Optional.empty();
              }
            },
            VectorClock.ZERO,
            from);
    while (!commits.read(MAX_FOUND).atEnd()) {
      // It goes on.
    }
    return places;
  }

  /**
   * A transaction as other data centres receive it, except that its link names no previous
   * transaction: it is sent in no stream.
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
   * Accepts a batch of another data centre's stream. Waits while the journal's queue is full, which
   * a sync ends, but not for a checkpoint, as the caller has other work.
   *
   * @throws FormatException if it is not part of the stream; the transactions before the fault are
   *     accepted
   * @throws io.github.stablecut.error.ReopenException if the journal has failed
   */
  public Receipt receive(StreamBatch batch) {
    int source = batch.source();
    if (!peers.has(source)) {
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
              times.reached(source, end, batch.through());
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
      // Watches may be holding commits that are now visible.
      committer.feed().wake();
    }
    peers.promised(source, batch.promise());
    return Receipt.TAKEN;
  }

  /** Whether transactions are accepted now; if not, {@link #receive} returns {@code NO_ROOM}. */
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
   * Sets the listener that is called after each durable group of commits, own or received; it
   * replaces an earlier one. Called on the thread that flushes groups, so it must return at once.
   */
  public void setCommitListener(Runnable listener) {
    committer.setCommitListener(listener);
  }

  /**
   * The entries of other data centres in the snapshots of own commits of earlier openings that the
   * journal still has; all partitions of the store had these.
   */
  public VectorClock readBefore() {
    return committer.readBefore();
  }

  /** Another partition reports that everything of other data centres up to a vector is here. */
  public void isHere(Set<Integer> dataCentres, VectorClock vector) {
    for (int dataCentre : dataCentres) {
      times.reached(dataCentre, 0, vector.get(dataCentre));
    }
  }

  /** Retains what another data centre may need, from now on. */
  public void keepFor(int dataCentre) {
    peers.add(dataCentre);
  }

  /** Retains nothing for a data centre from now on: it will send no more transactions. */
  public void release(int dataCentre) {
    peers.release(dataCentre);
  }

  /**
   * Refuses own commits from now on; {@link #lastOwn} is then the last one, except for prepared
   * transactions.
   */
  public void closeOwn(String why) {
    horizon.closeToCommits(why);
  }

  /** Accepts own commits again. */
  public void reopenOwn() {
    horizon.openToCommits();
  }

  /**
   * Returns the vector up to which a data centre has durably received everything, by its reports;
   * zero without reports.
   */
  public VectorClock acknowledged(int dataCentre) {
    return peers.reached(dataCentre);
  }

  /**
   * The time up to which a data centre has the streams of which it lacks something that is here:
   * own ones and those of others, which it may fetch here.
   *
   * @return the earliest such time; empty if it lacks nothing
   */
  public OptionalLong lacksAfter(int dataCentre) {
    VectorClock completeHere = local.with(lastOfAll(), lastOwn());
    VectorClock completeThere = acknowledged(dataCentre);
    return IntStream.range(0, completeHere.size())
        .filter(
            source -> source != dataCentre && completeThere.get(source) < completeHere.get(source))
        .mapToLong(completeThere::get)
        .min();
  }

  /** Records what the peer in another data centre has durably received. */
  public void acknowledged(int dataCentre, VectorClock reached) {
    peers.reached(dataCentre, reached);
  }

  /**
   * Records in the journal how far the streams of other data centres have come, so that a restart
   * does not forget it; waits for a sync.
   *
   * @return how far; the entry of this data centre is 0
   */
  @CanIgnoreReturnValue
  public VectorClock recordReached() {
    VectorClock reached = local.with(times.stable(), 0);
    if (reached.isAtOrBefore(times.recorded())) {
      return reached;
    }
    record(reached);
    return reached;
  }

  /** Records this and the promise in the journal; waits for a sync. */
  private void record(VectorClock reached) {
    VectorClock promisedTimes = intend(VectorClock.ZERO);
    committer.record(saved(reached, promisedTimes));
    times.recorded(reached);
    synchronized (promising) {
      promised = promised.join(promisedTimes);
    }
  }

  /** Adds to the promise; returns all that is promised then, durable or not. */
  @CanIgnoreReturnValue
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
   * A record that repeats what {@link #recordReached} and {@link #promise} recorded, so that the
   * segments with their records may be dropped; empty if there are none.
   */
  Optional<SavedRecord> repeated() {
    VectorClock recorded = local.with(times.recorded(), 0);
    VectorClock promisedTimes = intend(VectorClock.ZERO);
    return recorded.join(promisedTimes).equals(VectorClock.ZERO)
        ? Optional.empty()
        : Optional.of(saved(recorded, promisedTimes));
  }

  /** The promise to other data centres ({@link #promise}) that the journal has. */
  public VectorClock promised() {
    return promised;
  }

  /**
   * Makes a promise for the stream of this data centre: a lower bound of what its later
   * transactions have read. Others prune by it, so it must hold after a restart and a move. When
   * this returns, the journal has it, with how far other data centres have come. Waits for a sync
   * if either exceeds what the journal has.
   *
   * @param recorded how far the streams of other data centres have come at all partitions, by their
   *     journals
   */
  public Promise promise(VectorClock recorded) {
    VectorClock durable = sequencer.shared(times.lastComplete());
    VectorClock claimed = horizon.intendFrontier(durable);
    // A transaction not ordered by now reads at the promise or later.
    long last = lastOwn();
    VectorClock vector = local.lowerOthers(claimed, recorded);
    intend(vector);
    if (!vector.isAtOrBefore(promised)) {
      record(local.with(times.stable(), 0));
    }
    return new Promise(vector, last);
  }
}
