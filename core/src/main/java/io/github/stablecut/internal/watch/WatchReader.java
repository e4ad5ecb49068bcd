package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What one watch reads: first the past, from the journals of all partitions, then the present, from
 * its buffer. Confined to one thread at a time, but for {@link #close}.
 */
public final class WatchReader extends MergedCommits {
  /** How long is waited for something undecided before the past is read on, in milliseconds. */
  private static final long RETRY_MILLIS = 2;

  private static final BitSet NONE = new BitSet();

  private final List<CommitHistory> histories = new ArrayList<>();

  /** The partitions whose past was read to its end, since the watch has joined the present. */
  private final BitSet atEnd = new BitSet();

  /**
   * Own commits after it go into the buffer, and those of other data centres that were not in the
   * journal by then; empty until the watch has joined the present.
   */
  private Optional<VectorClock> joined = Optional.empty();

  /**
   * Whether the partition that was read last has nothing more to tell, and holds up what others
   * have told: those are read on meanwhile.
   */
  private boolean isAwaiting;

  private boolean isPresent;

  /**
   * A watch of what comes after a point.
   *
   * @param buffer for what is committed meanwhile and later
   * @param after the point after which commits are wanted
   * @param reached at or after every snapshot that was given: idle partitions move on to it, so
   *     that the watch gets there
   * @throws io.github.stablecut.error.LimitExceededException if too many watches are open
   * @throws io.github.stablecut.error.SnapshotTruncatedException if what comes next is not kept any
   *     more
   */
  public static WatchReader after(
      WatchDispatcher dispatcher, WatchBuffer buffer, VectorClock after, VectorClock reached) {
    moveOn(dispatcher, reached);
    return after(dispatcher, buffer, after);
  }

  /** A watch of what comes after a point, which every partition has reached that is idle. */
  static WatchReader after(WatchDispatcher dispatcher, WatchBuffer buffer, VectorClock after) {
    WatchReader reader = new WatchReader(dispatcher, buffer, after);
    for (CommitSource source : dispatcher.sources()) {
      reader.histories.add(source.history(after, buffer.wanted()));
    }
    dispatcher.register(buffer);
    return reader;
  }

  /**
   * A watch of what is committed from now on.
   *
   * @param newest at or after all that was acknowledged
   * @throws io.github.stablecut.error.LimitExceededException if too many watches are open
   */
  public static WatchReader fromNow(
      WatchDispatcher dispatcher, WatchBuffer buffer, VectorClock newest) {
    if (dispatcher.hasOthers()) {
      // What has come from other data centres may be in the journal, and not visible yet.
      moveOn(dispatcher, newest);
      return after(dispatcher, buffer, newest);
    }
    dispatcher.register(buffer);
    try {
      VectorClock begin = dispatcher.join(buffer, newest).join(newest);
      moveOn(dispatcher, begin);
      WatchReader reader = new WatchReader(dispatcher, buffer, begin);
      reader.isPresent = true;
      return reader;
    } catch (RuntimeException | Error e) {
      dispatcher.leave(buffer);
      throw e;
    }
  }

  /** Whatever begins from now on, on whichever partition, is committed after a point. */
  private static void moveOn(WatchDispatcher dispatcher, VectorClock point) {
    for (CommitSource source : dispatcher.sources()) {
      VectorClock unused = source.stableAfter(point);
    }
  }

  private WatchReader(WatchDispatcher dispatcher, WatchBuffer buffer, VectorClock after) {
    super(dispatcher, buffer, dispatcher.merger(after), after);
  }

  @Override
  void readOn(long deadlineNanos) throws InterruptedException {
    if (isPresent) {
      takePresent(deadlineNanos);
    } else {
      readPast(deadlineNanos);
    }
  }

  private void takePresent(long deadlineNanos) throws InterruptedException {
    boolean isHolding = merger.heldCommits() > 0;
    WatchBuffer.Taken taken =
        buffer.take(deadlineNanos, isHolding ? Optional.of(merger.position()) : Optional.empty());
    taken.commits().forEach(merger::add);
    goOnTo(taken.complete());
  }

  /** Everything at or before a point was told, unless that is behind what is known already. */
  private void goOnTo(VectorClock complete) {
    if (merger.position().isAtOrBefore(complete)) {
      merger.completeAll(complete);
      deliveries.add(merger.release());
    }
  }

  /** Reads a piece of the journal of the partition that has been read least far. */
  private void readPast(long deadlineNanos) throws InterruptedException {
    // What lies before the joining can be read once it is stable.
    if (joined.isPresent() && !buffer.awaitComplete(joined.get(), deadlineNanos)) {
      return;
    }
    int next =
        joined.isPresent() ? atEnd.nextClearBit(0) : merger.slowest(isAwaiting ? atEnd : NONE);
    if (joined.isEmpty()) {
      // An idle partition keeps nobody waiting, and is not taken for the present of all.
      VectorClock unused =
          dispatcher.sources().get(next).stableAfter(dispatcher.newestAfter(merger.position()));
    }
    VectorClock before = merger.complete();
    CommitHistory.Piece piece = histories.get(next).read(buffer.capacity());
    piece.writes().forEach(merger::add);
    merger.complete(next, piece.complete());
    deliverFromJournal(merger.release());
    atEnd.set(next, piece.atEnd());
    // Of each partition a piece is held at most while the one that is behind is read.
    boolean isBounded = joined.isEmpty() && !isAwaiting;
    isAwaiting = piece.atEnd() && merger.complete().equals(before);
    if (merger.heldCommits() > dispatcher.mostHeld()
        || (!isBounded && merger.holdsMoreThan(WatchBuffer.MOST_BYTES))) {
      buffer.end(WatchBuffer.State.OVERFLOWED);
    } else if (atEnd.cardinality() == histories.size()) {
      endPast();
    }
  }

  /** All partitions were read to their ends. */
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
      buffer.takenUpTo().ifPresent(this::goOnTo);
      advance();
    }
    return super.position();
  }
}
