package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import java.util.List;
import java.util.Optional;

/**
 * What a watch reads of several partitions, joined in one order; how it is read is up to the
 * subclass. Confined to one thread at a time, but for {@link #close}.
 */
abstract class MergedCommits implements WatchSource {
  final WatchDispatcher dispatcher;
  final WatchBuffer buffer;
  final CommitMerger merger;

  /** The ordered commits that the user has not taken. */
  final DeliveryQueue deliveries;

  /** A watch after it goes on with what was not taken. */
  private VectorClock position;

  /**
   * @param dispatcher counts the watch, and ends it with the store
   * @param buffer knows whether the watch has ended
   * @param after the point after which commits are wanted
   */
  MergedCommits(
      WatchDispatcher dispatcher, WatchBuffer buffer, CommitMerger merger, VectorClock after) {
    this.dispatcher = dispatcher;
    this.buffer = buffer;
    this.deliveries = buffer.deliveries();
    this.merger = merger;
    this.position = after;
  }

  /** Reads on, or waits for a while, at most until a time of {@link System#nanoTime}. */
  abstract void readOn(long deadlineNanos) throws InterruptedException;

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
    do {
      if (deliveries.isExhausted()) {
        readOn(deadlineNanos);
      }
      Optional<OrderedCommit> next = deliveries.peek();
      if (next.isPresent()) {
        return next;
      }
      advance();
    } while (System.nanoTime() < deadlineNanos && buffer.state() == WatchBuffer.State.OPEN);
    return Optional.empty();
  }

  @Override
  public final Optional<OrderedCommit> remove() {
    Optional<OrderedCommit> next = deliveries.remove();
    next.ifPresent(removed -> position = removed.token());
    advance();
    return next;
  }

  /** Queues commits from journals, and ends other watches if all hold too much. */
  final void deliverFromJournal(List<OrderedCommit> commits) {
    deliveries.addFromJournal(commits, dispatcher.memory());
    dispatcher.relieveFor(buffer);
  }

  /** Moves the position to that of the merger if the user has taken all that came out of it. */
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
