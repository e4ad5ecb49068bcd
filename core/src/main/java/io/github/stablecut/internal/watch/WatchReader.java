package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What one watch reads: first the past, from the journals of all partitions, then the present, from
 * its buffer. Confined to one thread at a time, but for {@link #close}.
 */
public final class WatchReader implements AutoCloseable {
  /** How long is waited for something undecided before the past is read on, in milliseconds. */
  private static final long RETRY_MILLIS = 2;

  private final WatchDispatcher dispatcher;
  private final WatchBuffer buffer;
  private final List<CommitHistory> histories = new ArrayList<>();
  private final CommitMerger past;

  /** The partitions whose past was read to its end when it was read last. */
  private final BitSet atEnd = new BitSet();

  private final Deque<CommittedWrites> ready = new ArrayDeque<>();

  /** Everything at or before it was taken. */
  private VectorClock position;

  /** After it everything goes into the buffer; empty until the watch has joined the present. */
  private Optional<VectorClock> joined = Optional.empty();

  /** What of the buffer was in the past too. */
  private VectorClock floor = VectorClock.ZERO;

  private boolean isPresent;

  /**
   * A watch of what comes after a point.
   *
   * @param after the point after which commits are wanted
   * @param buffer for what is committed meanwhile and later
   * @throws io.github.stablecut.error.LimitExceededException if too many watches are open
   * @throws io.github.stablecut.error.SnapshotTruncatedException if what comes next is not kept any
   *     more
   */
  public static WatchReader after(
      WatchDispatcher dispatcher, WatchBuffer buffer, VectorClock after) {
    WatchReader reader = new WatchReader(dispatcher, buffer, after);
    for (CommitSource source : dispatcher.sources()) {
      reader.histories.add(source.history(after, buffer.range()));
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
    WatchReader reader = new WatchReader(dispatcher, buffer, newest);
    dispatcher.register(buffer);
    reader.floor = dispatcher.join(buffer).join(newest);
    // Whatever begins from now on, on whichever partition, is committed after it.
    for (CommitSource source : dispatcher.sources()) {
      VectorClock unused = source.stableAfter(reader.floor);
    }
    reader.position = reader.floor;
    reader.isPresent = true;
    return reader;
  }

  private WatchReader(WatchDispatcher dispatcher, WatchBuffer buffer, VectorClock after) {
    this.dispatcher = dispatcher;
    this.buffer = buffer;
    this.position = after;
    this.past = dispatcher.merger(after);
  }

  /** How a watch has ended that has nothing more to say. */
  public enum End {
    OVERFLOWED,
    CLOSED,
    STORE_CLOSED
  }

  /** Whether and how the watch has ended. After an overflow the buffer may still have something. */
  public Optional<End> end() {
    return switch (buffer.state()) {
      case OPEN -> Optional.empty();
      case OVERFLOWED -> Optional.of(End.OVERFLOWED);
      case CLOSED -> Optional.of(End.CLOSED);
      case STORE_CLOSED -> Optional.of(End.STORE_CLOSED);
    };
  }

  /**
   * Has somebody told of the end, at once if the watch has ended.
   *
   * @param listener called on whatever thread ends the watch, so it must return at once; may be
   *     called twice
   */
  public void onEnd(Runnable listener) {
    buffer.onEnd(listener);
  }

  /** How many commits may wait in the buffer. */
  public int capacity() {
    return buffer.capacity();
  }

  /**
   * The next commit, or empty if there was none until a time of {@link System#nanoTime}, or the
   * watch has ended.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if what comes next is not kept any
   *     more
   */
  public Optional<CommittedWrites> poll(long deadlineNanos) throws InterruptedException {
    do {
      Optional<CommittedWrites> next = isPresent ? present(deadlineNanos) : past(deadlineNanos);
      if (next.isPresent()) {
        return next;
      }
    } while (System.nanoTime() < deadlineNanos && buffer.state() == WatchBuffer.State.OPEN);
    return Optional.empty();
  }

  private Optional<CommittedWrites> present(long deadlineNanos) throws InterruptedException {
    for (Optional<CommittedWrites> next = buffer.poll(deadlineNanos);
        next.isPresent();
        next = buffer.poll(deadlineNanos)) {
      if (!next.get().at().isAtOrBefore(floor)) {
        position = position.join(next.get().at());
        return next;
      }
    }
    return Optional.empty();
  }

  private Optional<CommittedWrites> past(long deadlineNanos) throws InterruptedException {
    if (ready.isEmpty()) {
      read(deadlineNanos);
    }
    Optional<CommittedWrites> next = Optional.ofNullable(ready.poll());
    next.ifPresent(writes -> position = position.join(writes.at()));
    if (ready.isEmpty()) {
      position = past.complete();
      floor = position;
      isPresent = joined.map(at -> at.isAtOrBefore(position)).orElse(false);
    }
    return next;
  }

  /** Reads a piece of the journal of the partition that has been read least far. */
  private void read(long deadlineNanos) throws InterruptedException {
    // What lies before the joining can be read once it is stable.
    if (joined.isPresent() && !buffer.awaitComplete(joined.get(), deadlineNanos)) {
      return;
    }
    int slowest = past.slowest();
    if (joined.isEmpty()) {
      // An idle partition keeps nobody waiting, and is not taken for the present of all.
      VectorClock unused = dispatcher.sources().get(slowest).stableAfter(dispatcher.newest());
    }
    VectorClock before = past.complete();
    CommitHistory.Piece piece = histories.get(slowest).read(buffer.capacity());
    piece.writes().forEach(past::add);
    past.complete(slowest, piece.complete());
    ready.addAll(past.release());
    atEnd.set(slowest, piece.atEnd());
    if (joined.isEmpty() && atEnd.cardinality() == histories.size()) {
      joined = Optional.of(dispatcher.join(buffer));
    } else if (piece.atEnd() && past.slowest() == slowest && past.complete().equals(before)) {
      TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
    }
  }

  /** The point up to which everything was taken. */
  public VectorClock position() {
    if (isPresent && buffer.state() == WatchBuffer.State.OPEN) {
      buffer.takenUpTo().ifPresent(at -> position = position.join(at));
    }
    return position;
  }

  /** Ends the watch. Idempotent, and from any thread. */
  @Override
  public void close() {
    buffer.end(WatchBuffer.State.CLOSED);
    dispatcher.leave(buffer);
  }
}
