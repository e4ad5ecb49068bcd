package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The source of a watch in one process: reads the past from the journals of all partitions, then
 * the present from its buffer. Confined to one thread at a time, except {@link #close}.
 */
public final class WatchReader extends MergedCommits {
  /** The pause, in milliseconds, before the past is read again while a transaction is undecided. */
  private static final long RETRY_MILLIS = 2;

  private static final BitSet NONE = new BitSet();

  private final List<CommitHistory> histories = new ArrayList<>();

  /** The partitions whose journals were read to their ends since the watch joined the present. */
  private final BitSet atEnd = new BitSet();

  /**
   * The point after which own commits go into the buffer, as do commits of other data centres that
   * were not in the journal by then; empty until the watch has joined the present.
   */
  private Optional<VectorClock> joined = Optional.empty();

  /**
   * Whether the partition read last has no more commits and holds up those of the others, which are
   * read meanwhile.
   */
  private boolean isHeldUp;

  private boolean isPresent;

  /**
   * Creates the source of a watch that starts after a point.
   *
   * @param buffer for concurrent and later commits
   * @param after the point after which commits are read
   * @param reached a vector at or after every issued snapshot: idle partitions advance to it, so
   *     that the watch reaches it
   * @throws io.github.stablecut.error.LimitExceededException if too many watches are open
   * @throws io.github.stablecut.error.SnapshotTruncatedException if the next commits were truncated
   */
  public static WatchReader after(
      WatchDispatcher dispatcher, WatchBuffer buffer, VectorClock after, VectorClock reached) {
    advanceAll(dispatcher, reached);
    return after(dispatcher, buffer, after);
  }

  /**
   * Creates the source of a watch that starts after a point that all idle partitions have reached.
   */
  static WatchReader after(WatchDispatcher dispatcher, WatchBuffer buffer, VectorClock after) {
    WatchReader reader = new WatchReader(dispatcher, buffer, after);
    for (CommitSource source : dispatcher.sources()) {
      reader.histories.add(source.history(after, buffer.wanted()));
    }
    dispatcher.register(buffer);
    return reader;
  }

  /**
   * Creates the source of a watch of later commits.
   *
   * @param newest a vector at or after all acknowledged commits
   * @throws io.github.stablecut.error.LimitExceededException if too many watches are open
   */
  public static WatchReader fromNow(
      WatchDispatcher dispatcher, WatchBuffer buffer, VectorClock newest) {
    if (dispatcher.hasOthers()) {
      // Transactions received from other data centres may be in the journal and not visible yet.
      advanceAll(dispatcher, newest);
      return after(dispatcher, buffer, newest);
    }
    dispatcher.register(buffer);
    try {
      VectorClock begin = dispatcher.join(buffer, newest).join(newest);
      advanceAll(dispatcher, begin);
      WatchReader reader = new WatchReader(dispatcher, buffer, begin);
      reader.isPresent = true;
      return reader;
    } catch (RuntimeException | Error e) {
      dispatcher.leave(buffer);
      throw e;
    }
  }

  /** Advances all partitions, so that later transactions commit after a point. */
  private static void advanceAll(WatchDispatcher dispatcher, VectorClock point) {
    for (CommitSource source : dispatcher.sources()) {
      source.stableAfter(point);
    }
  }

  private WatchReader(WatchDispatcher dispatcher, WatchBuffer buffer, VectorClock after) {
    super(dispatcher, buffer, dispatcher.merger(after), after);
  }

  @Override
  void readMore(long deadlineNanos) throws InterruptedException {
    if (isPresent) {
      takePresent(deadlineNanos);
    } else {
      readPast(deadlineNanos);
    }
  }

  private void takePresent(long deadlineNanos) throws InterruptedException {
    boolean isHolding = merger.heldCommits() > 0;
    WatchBuffer.CommitBatch taken =
        buffer.take(deadlineNanos, isHolding ? Optional.of(merger.position()) : Optional.empty());
    taken.commits().forEach(merger::add);
    completeThrough(taken.complete());
  }

  /**
   * Releases the commits at or before a point that was completely reported, unless it is behind the
   * merger's position.
   */
  private void completeThrough(VectorClock complete) {
    if (merger.position().isAtOrBefore(complete)) {
      merger.completeAll(complete);
      deliveries.add(merger.release());
    }
  }

  /** Reads a piece of the journal of the partition that is furthest behind. */
  private void readPast(long deadlineNanos) throws InterruptedException {
    // Commits before the joining point can be read once they are stable.
    // While other watches wait for the permits of this one, it does not wait.
    long untilNanos = largeReads.isHolding() ? System.nanoTime() : deadlineNanos;
    if (joined.isPresent() && !buffer.awaitComplete(joined.get(), untilNanos)) {
      return;
    }
    int next = joined.isPresent() ? atEnd.nextClearBit(0) : merger.slowest(isHeldUp ? atEnd : NONE);
    if (joined.isEmpty()) {
      // Advances an idle partition, so that it does not hold up the others.
      dispatcher.sources().get(next).stableAfter(dispatcher.newestAfter(merger.position()));
    }
    VectorClock before = merger.complete();
    CommitHistory.Piece piece = histories.get(next).read(buffer.capacity(), largeReads);
    piece.writes().forEach(merger::add);
    merger.complete(next, piece.complete());
    deliverFromJournal(merger.release());
    atEnd.set(next, piece.atEnd());
    // In this mode, at most one piece per partition is held while the one behind is read.
    boolean isBounded = joined.isEmpty() && !isHeldUp;
    isHeldUp = piece.atEnd() && merger.complete().equals(before);
    if (merger.heldCommits() > dispatcher.maxHeld()
        || (!isBounded && merger.holdsMoreThan(WatchBuffer.MAX_BYTES))) {
      buffer.end(WatchBuffer.State.OVERFLOWED);
    } else if (atEnd.cardinality() == histories.size()) {
      endPast();
    }
  }

  /**
   * Ends reading the past, or joins the present first, after all journals were read to their ends.
   */
  private void endPast() throws InterruptedException {
    if (joined.isEmpty()) {
      joined = Optional.of(dispatcher.join(buffer, merger.position()));
    } else if (hasReached(joined.get())) {
      isPresent = true;
    } else {
      TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
    }
    atEnd.clear();
  }

  private boolean hasReached(VectorClock point) {
    return dispatcher.timeIn(point) <= dispatcher.timeIn(merger.complete());
  }

  @Override
  public VectorClock position() {
    if (isPresent && deliveries.isExhausted() && buffer.state() == WatchBuffer.State.OPEN) {
      buffer.takenUpTo().ifPresent(this::completeThrough);
      advance();
    }
    return super.position();
  }
}
