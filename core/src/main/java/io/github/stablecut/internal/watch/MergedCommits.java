package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.thread.HeapPermits;
import java.util.List;
import java.util.Optional;

/**
 * The base of a watch's source: merges the commits of several partitions in one order; subclasses
 * read them. Confined to one thread at a time, except {@link #close}.
 */
abstract class MergedCommits implements WatchSource {
  final WatchDispatcher dispatcher;
  final WatchBuffer buffer;
  final CommitMerger merger;

  /** The permits of a call that reads large records, until these are charged. */
  final LargeReads largeReads = new LargeReads(HeapPermits.WATCHES);

  /** The ordered commits that the user has not removed. */
  final DeliveryQueue deliveries;

  /** A watch after this point resumes with the commits that were not removed. */
  private VectorClock position;

  /**
   * @param dispatcher counts the watch and ends it with the store
   * @param buffer knows whether the watch has ended
   * @param after the point after which commits are read
   */
  MergedCommits(
      WatchDispatcher dispatcher, WatchBuffer buffer, CommitMerger merger, VectorClock after) {
    this.dispatcher = dispatcher;
    this.buffer = buffer;
    this.deliveries = buffer.deliveries();
    this.merger = merger;
    this.position = after;
  }

  /** Reads more commits or waits for them, at most until a time of {@link System#nanoTime}. */
  abstract void readMore(long deadlineNanos) throws InterruptedException;

  @Override
  public final Optional<End> end() {
    return buffer.ended();
  }

  @Override
  public final void onEnd(Runnable listener) {
    buffer.onEnd(listener);
  }

  @Override
  public final int capacity() {
    return buffer.capacity();
  }

  @Override
  public final Optional<OrderedCommit> peek(long deadlineNanos) throws InterruptedException {
    try (largeReads) {
      // A large commit may wait for a pass over each other partition.
      int largePasses = dispatcher.sources().size() + 1;
      do {
        if (deliveries.isExhausted()) {
          if (!largeReads.await(deadlineNanos)) {
            return Optional.empty();
          }
          readMore(deadlineNanos);
        }
        Optional<OrderedCommit> next = deliveries.peek();
        if (next.isPresent()) {
          return next;
        }
        advance();
        if (largeReads.isHolding() && largePasses-- == 0) {
          // Other watches need not wait for an undecided transaction.
          largeReads.close();
        }
      } while ((System.nanoTime() < deadlineNanos || largeReads.isHolding())
          && buffer.state() == WatchBuffer.State.OPEN);
      return Optional.empty();
    }
  }

  @Override
  public final Optional<OrderedCommit> remove() {
    Optional<OrderedCommit> next = deliveries.remove();
    next.ifPresent(removed -> position = removed.token());
    advance();
    return next;
  }

  /** Queues commits from journals and ends other watches if all together hold too much. */
  final void deliverFromJournal(List<OrderedCommit> commits) {
    deliveries.addFromJournal(commits, dispatcher.memory());
    dispatcher.relieveFor(buffer);
  }

  /** Advances the position to the merger's if the user has removed all released commits. */
  final void advance() {
    if (deliveries.isExhausted()) {
      position = merger.position();
    }
  }

  @Override
  public VectorClock position() {
    return position;
  }

  @Override
  public final void close() {
    buffer.end(WatchBuffer.State.CLOSED);
    dispatcher.leave(buffer);
  }
}
