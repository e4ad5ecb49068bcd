package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.ReadTimeoutException;
import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.journal.JournalClosedException;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.key.Key;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waiting for commits that are on their way: those that are not decided, or not durable.
 * Thread-safe.
 *
 * <p>Every wait of a reader ends with {@link ReadTimeoutException} after the options' time for
 * reads, and every wait with {@link JournalFailedException} or {@link JournalClosedException} if
 * what is waited for will never be.
 */
final class PendingCommits {
  /** How long the loser of a certification waits, at most, for the winner to be visible. */
  private static final Duration CONFLICT_WAIT = Duration.ofSeconds(1);

  private final int partition;
  private final Duration timeout;
  private final ObjectIndex index;
  private final PreparedTransactions prepared;
  private final Committer committer;
  private final StableTime times;
  private final Progress progress;
  private volatile boolean closed;

  PendingCommits(PartitionOptions options, Committer committer) {
    this.partition = options.number();
    this.timeout = options.waits().read();
    this.index = committer.sequencer().state().index();
    this.prepared = committer.sequencer().state().prepared();
    this.committer = committer;
    this.times = committer.times();
    this.progress = committer.sequencer().progress();
  }

  /** Whether all of an object that a snapshot sees is there and stays as it is. */
  boolean isComplete(Bytes id, VectorClock snapshot) {
    promise(snapshot);
    return !isAwaited(id, snapshot);
  }

  /** Waits until all of an object that a snapshot sees is there and stays as it is. */
  void awaitComplete(Bytes id, VectorClock snapshot) {
    promise(snapshot);
    await(
        () -> !isAwaited(id, snapshot),
        () -> "object %s at %s".formatted(Key.nameOf(id), Timestamp.format(snapshot.max())));
  }

  private void promise(VectorClock snapshot) {
    if (!times.isPromised(snapshot)) {
      committer.promise(snapshot);
    }
  }

  private boolean isAwaited(Bytes id, VectorClock snapshot) {
    VectorClock stable = times.stable();
    ObjectEntry entry = index.find(id);
    return entry != null && entry.content().isAwaited(stable, snapshot);
  }

  /** Waits until all that a snapshot sees is there, on all objects. */
  void awaitComplete(VectorClock snapshot) {
    if (!snapshot.isAtOrBefore(times.stable())) {
      await(() -> reaches(snapshot), () -> "all objects at " + Timestamp.format(snapshot.max()));
    }
  }

  private boolean reaches(VectorClock snapshot) {
    if (!snapshot.isAtOrBefore(times.stable())) {
      committer.promise(snapshot);
    }
    return snapshot.isAtOrBefore(times.stable());
  }

  /** Waits until no undecided transaction may write an object. */
  void awaitUnannounced(Bytes id) {
    await(() -> !isAnnounced(id), () -> "object " + Key.nameOf(id));
  }

  /** Whether an undecided transaction may write an object, or one that can't be found yet has. */
  boolean isAnnounced(Bytes id) {
    ObjectEntry entry = index.find(id);
    if (entry == null) {
      return false;
    }
    ObjectEntry.Content content = entry.content();
    // Without a list of effects those that are not durable can't be found.
    boolean isHidden =
        content
            .unlisted()
            .map(unlisted -> !unlisted.last().isAtOrBefore(times.stable()))
            .orElse(false);
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
   * @throws OutcomeUnknownException if it is not in time: it may still be lost
   */
  void awaitRequest(long commitTime) {
    try {
      awaitDurable(commitTime);
    } catch (ReadTimeoutException e) {
      throw new OutcomeUnknownException(
          "partition %d has executed the request at %s, which is not durable after %s: send it again"
              .formatted(partition, Timestamp.format(commitTime), DurationWords.of(timeout)));
    }
  }

  /**
   * Waits until the commits that another transaction has lost to are visible, a second at most: a
   * retry before would take the same snapshot, and lose again.
   */
  void awaitWinner(CommitRequest loser) {
    VectorClock all = VectorClock.of(Long.MAX_VALUE);
    List<Bytes> written = loser.writes().stream().map(CommitRequest.ObjectWrite::id).toList();
    Collection<Bytes> ids = loser.certified().isEmpty() ? written : loser.certified();
    boolean unused =
        progress.await(
            () -> ids.stream().noneMatch(id -> isAwaited(id, all)), CONFLICT_WAIT.toNanos());
  }

  /** The journal is closed: who still waits is told so. */
  void close() {
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
          "partition %d does not know after %s what became of transactions on %s; in doubt are %s: try again, or open the partitions that coordinate them"
              .formatted(partition, DurationWords.of(timeout), what.get(), prepared.inDoubt()));
    }
  }
}
