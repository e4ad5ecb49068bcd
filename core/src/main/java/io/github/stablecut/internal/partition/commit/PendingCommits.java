package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.ReadTimeoutException;
import io.github.stablecut.internal.index.ObjectContent;
import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.journal.JournalClosedException;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.key.Key;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for pending commits: those that are undecided or not durable. Thread-safe.
 *
 * <p>A reader's wait ends with {@link ReadTimeoutException} after the read timeout of the options.
 * Any wait ends with {@link JournalFailedException} or {@link JournalClosedException} if the commit
 * can no longer become durable: a reopening may keep it or lose it, so no reader sees the object
 * with or without it. Other objects stay readable after the journal has failed.
 */
public final class PendingCommits implements Completeness {
  /** The maximum time that the loser of a certification waits for the winner's visibility. */
  private static final Duration CONFLICT_WAIT = Duration.ofSeconds(1);

  /** The maximum number of objects of scanned ranges that a loser waits for. */
  private static final int MAX_WINNERS = 1_000;

  private final int partition;
  private final LocalDataCentre local;
  private final Duration timeout;
  private final ObjectIndex index;
  private final PreparedTransactions prepared;
  private final Committer committer;
  private final StableTime times;
  private final ProgressSignal progress;
  private volatile boolean closed;

  public PendingCommits(PartitionOptions options, Committer committer) {
    this.partition = options.number();
    this.local = options.local();
    this.timeout = options.waits().read();
    this.index = committer.sequencer().state().index();
    this.prepared = committer.sequencer().state().prepared();
    this.committer = committer;
    this.times = committer.times();
    this.progress = committer.sequencer().progress();
  }

  /** Whether a snapshot of an object is complete and immutable. */
  public boolean isComplete(Bytes id, VectorClock snapshot) {
    promise(snapshot);
    return !isAwaited(id, snapshot);
  }

  /** Like {@link #isComplete}, but false if only a wait could determine that. */
  public boolean isCompleteNow(Bytes id, VectorClock snapshot) {
    return (times.isPromised(snapshot) || committer.tryPromiseToReader(snapshot))
        && !isAwaited(id, snapshot);
  }

  @Override
  public VectorClock stable() {
    return times.stable();
  }

  @Override
  public void awaitComplete(Bytes id, VectorClock snapshot) {
    promise(snapshot);
    await(
        () -> !isAwaited(id, snapshot),
        () -> "object %s at %s".formatted(Key.nameOf(id), Timestamp.format(snapshot)));
  }

  private void promise(VectorClock snapshot) {
    if (!times.isPromised(snapshot)) {
      committer.promiseToReader(snapshot);
    }
  }

  private boolean isAwaited(Bytes id, VectorClock snapshot) {
    VectorClock stable = times.stable();
    if (!local.othersAreAtOrBefore(snapshot, stable)) {
      // Commits of other data centres on the object may not have arrived yet.
      return true;
    }
    ObjectEntry entry = index.find(id);
    return entry != null && entry.content().isAwaited(local, stable, snapshot);
  }

  @Override
  public void awaitComplete(VectorClock snapshot) {
    if (!snapshot.isAtOrBefore(times.stable())) {
      await(() -> reaches(snapshot), () -> "all objects at " + Timestamp.format(snapshot));
    }
  }

  private boolean reaches(VectorClock snapshot) {
    if (!snapshot.isAtOrBefore(times.stable())) {
      committer.promiseToReader(snapshot);
    }
    return snapshot.isAtOrBefore(times.stable());
  }

  /** Waits until no undecided transaction has an intent on an object. */
  public void awaitUnannounced(Bytes id) {
    await(() -> !isAnnounced(id), () -> "object " + Key.nameOf(id));
  }

  /**
   * Whether an undecided transaction has an intent on an object, or an unlisted effect is not
   * durable.
   */
  boolean isAnnounced(Bytes id) {
    ObjectEntry entry = index.find(id);
    if (entry == null) {
      return false;
    }
    ObjectContent content = entry.content();
    // If effects are not listed, non-durable ones can't be found.
    boolean isHidden =
        content.unlisted().map(unlisted -> !unlisted.areDurable(times.stable())).orElse(false);
    return isHidden || !content.intents().isEmpty();
  }

  /** Waits until all commits up to one are durable. */
  void awaitDurable(long commitTime) {
    await(
        () -> times.isDurable(commitTime),
        () -> "all objects up to " + Timestamp.format(commitTime));
  }

  /**
   * Waits until the commit of a session's request is durable.
   *
   * @throws OutcomeUnknownException if it is not durable in time: it may still be lost
   */
  public void awaitRequest(long commitTime) {
    try {
      awaitDurable(commitTime);
    } catch (ReadTimeoutException e) {
      throw new OutcomeUnknownException(
          "partition %d has executed the request at %s, but it is not durable after %s: send it again"
              .formatted(partition, Timestamp.format(commitTime), DurationWords.of(timeout)));
    }
  }

  /**
   * Waits, at most a second, until the commits that a transaction conflicts with are visible: an
   * earlier retry would take the same snapshot and conflict again.
   */
  public void awaitWinner(CommitRequest loser) {
    List<Bytes> written = loser.writes().stream().map(CommitRequest.ObjectWrite::id).toList();
    Collection<Bytes> ids = loser.certifies() ? certified(loser) : written;
    progress.await(() -> ids.stream().noneMatch(this::isUnsettled), CONFLICT_WAIT.toNanos());
  }

  /** The certified objects, and the first objects of certified ranges that are unsettled now. */
  private Collection<Bytes> certified(CommitRequest loser) {
    Set<Bytes> ids = new LinkedHashSet<>(loser.certified());
    int limit = ids.size() + MAX_WINNERS;
    for (Footprint.Elements range : loser.ranges()) {
      index.forEachWithEffects(
          range,
          (id, entry) -> {
            if (ids.size() < limit && isUnsettled(id)) {
              ids.add(id);
            }
          });
    }
    return ids;
  }

  private boolean isUnsettled(Bytes id) {
    VectorClock stable = times.stable();
    ObjectEntry entry = index.find(id);
    return entry != null && entry.content().isUnsettled(stable);
  }

  /** Ends all waits: the journal is closed. */
  public void close() {
    closed = true;
    progress.changed();
  }

  private boolean isEnded() {
    return committer.hasFailed() || closed;
  }

  private void await(BooleanSupplier condition, Supplier<String> what) {
    if (!progress.await(condition, this::isEnded, timeout.toNanos())) {
      if (isEnded()) {
        committer.journal().ensureWritable(0);
      }
      throw new ReadTimeoutException(
          "partition %d does not know the outcome of transactions on %s after %s; in doubt are %s: try again, or open the partitions that coordinate them"
              .formatted(partition, what.get(), DurationWords.of(timeout), prepared.inDoubt()));
    }
  }
}
