package io.github.stablecut.journal;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The records that wait to become durable: a stack that many threads push on with one
 * compare-and-set, and that the flushing thread takes as a whole and turns around. Thread-safe.
 */
final class RecordQueue {
  private static final PendingRecord EMPTY = new PendingRecord((byte) 0, new byte[0], 0);
  private static final PendingRecord CLOSED = new PendingRecord((byte) 0, new byte[0], 0);

  private final AtomicReference<PendingRecord> newest = new AtomicReference<>(EMPTY);
  private volatile @Nullable Thread sleeper;

  /** Puts a record behind those that are there; false if the queue is closed. */
  boolean put(PendingRecord added) {
    while (true) {
      PendingRecord older = newest();
      if (older == CLOSED) {
        return false;
      }
      added.older = older;
      added.depth = older.depth + 1;
      if (newest.compareAndSet(older, added)) {
        if (older == EMPTY) {
          wake();
        }
        return true;
      }
    }
  }

  /** Takes all records, the oldest first. */
  List<PendingRecord> drain() {
    return newest() == EMPTY ? List.of() : take(EMPTY);
  }

  /** Takes all records, the oldest first, and lets no more in. */
  List<PendingRecord> close() {
    List<PendingRecord> last = take(CLOSED);
    wake();
    return last;
  }

  /** Makes room before it takes: without memory nothing is taken, and nothing is lost. */
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

  @SuppressWarnings("NullAway") // starts as EMPTY, and nobody sets it to null
  private PendingRecord newest() {
    return newest.get();
  }

  boolean isEmpty() {
    return newest().depth == 0;
  }

  /** Sleeps until a record is there, {@link #wake} is called or the time is over. */
  void await(long nanos) {
    sleeper = Thread.currentThread();
    if (isEmpty()) {
      LockSupport.parkNanos(this, nanos);
    }
    sleeper = null;
  }

  /** Wakes the thread that sleeps in {@link #await}. */
  void wake() {
    Thread sleeping = sleeper;
    if (sleeping != null) {
      LockSupport.unpark(sleeping);
    }
  }
}
