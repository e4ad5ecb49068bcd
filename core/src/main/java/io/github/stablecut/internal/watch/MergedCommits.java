package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * What a watch reads of several partitions, joined in one order; how it is read is up to the
 * subclass. Confined to one thread at a time, but for {@link #close}.
 */
abstract class MergedCommits implements WatchSource {
  final WatchDispatcher dispatcher;
  final WatchBuffer buffer;
  final CommitMerger merger;

  /** What can be told. */
  final Deque<OrderedCommit> ready = new ArrayDeque<>();

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
  public final Optional<OrderedCommit> poll(long deadlineNanos) throws InterruptedException {
    do {
      if (ready.isEmpty()) {
        readOn(deadlineNanos);
      }
      OrderedCommit next = ready.poll();
      if (next != null) {
        position = ready.isEmpty() ? merger.position() : next.token();
        return Optional.of(next);
      }
      position = merger.position();
    } while (System.nanoTime() < deadlineNanos && buffer.state() == WatchBuffer.State.OPEN);
    return Optional.empty();
  }

  /** Everything that came out of the merger was taken. */
  final void takenAll() {
    position = merger.position();
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
