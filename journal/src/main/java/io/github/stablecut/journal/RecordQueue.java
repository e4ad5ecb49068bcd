package io.github.stablecut.journal;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The queue of records waiting to become durable: a stack onto which many threads push with one
 * compare-and-set. The flushing thread takes it as a whole and reverses it. Thread-safe.
 */
final class RecordQueue {
  private static final PendingRecord EMPTY = new PendingRecord((byte) 0, new byte[0], 0);
  private static final PendingRecord CLOSED = new PendingRecord((byte) 0, new byte[0], 0);

  private final AtomicReference<PendingRecord> newest = new AtomicReference<>(EMPTY);
  private final FlushTurn turn = new FlushTurn(this::isEmpty);

  /** Appends a record; returns false if the queue is closed. */
  boolean put(PendingRecord added) {
    while (true) {
      PendingRecord older = newest();
      if (older == CLOSED) {
        return false;
      }
      added.older = older;
      added.depth = older.depth + 1;
      if (newest.compareAndSet(older, added)) {
        if (!added.isHelped()) {
          turn.wake();
        }
        return true;
      }
    }
  }

  /** Takes all records, the oldest first. */
  List<PendingRecord> drain() {
    return newest() == EMPTY ? List.of() : take(EMPTY);
  }

  /** Takes all records, the oldest first, and closes the queue. */
  List<PendingRecord> close() {
    return take(CLOSED);
  }

  /** Allocates before it takes the records, so running out of memory loses none. */
  private List<PendingRecord> take(PendingRecord replacement) {
    while (true) {
      PendingRecord taken = newest();
      PendingRecord[] room = new PendingRecord[taken.depth];
      List<PendingRecord> group = Arrays.asList(room);
      if (newest.compareAndSet(taken, replacement)) {
        fill(room, taken);
        return group;
      }
    }
  }

  private static void fill(PendingRecord[] group, PendingRecord newest) {
    PendingRecord next = newest;
    for (int i = group.length - 1; i >= 0 && next != null; i--) {
      group[i] = next;
      PendingRecord older = next.older;
      next.older = null;
      next = older;
    }
  }

  @SuppressWarnings("NullAway") // starts as EMPTY, and is never set to null
  private PendingRecord newest() {
    return newest.get();
  }

  boolean isEmpty() {
    return newest().depth == 0;
  }

  /** The right to drain the queue. */
  FlushTurn turn() {
    return turn;
  }

  /**
   * Releases the turn, and sleeps until a record arrives, a caller's turn ends or the time is over.
   */
  void await(long nanos) {
    turn.sleep(nanos);
  }
}
