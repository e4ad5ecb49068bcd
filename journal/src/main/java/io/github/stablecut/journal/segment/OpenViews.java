package io.github.stablecut.journal.segment;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Tracks which segments the open views of a journal retain. Most reads open one, so a view is a
 * slot of an array, searched from an index that depends on the thread. This takes a fifth of the
 * time of a concurrent set. Thread-safe.
 */
public final class OpenViews {
  /** The maximum number of open views; one more waits until another is closed. A power of two. */
  private static final int SLOTS = 1024;

  /** The distance between the start indexes of threads: one cache line. */
  private static final int STRIDE = 64 / Integer.BYTES;

  private static final int FREE = Integer.MAX_VALUE;

  /** By slot, the first segment that its view retains, or {@link #FREE}. */
  private final AtomicIntegerArray retained = new AtomicIntegerArray(SLOTS);

  public OpenViews() {
    for (int slot = 0; slot < SLOTS; slot++) {
      retained.set(slot, FREE);
    }
  }

  /**
   * Opens a view.
   *
   * @param oldest the first segment that it retains
   * @return its slot
   */
  public int open(int oldest) {
    int slot = (int) Thread.currentThread().getId() * STRIDE & (SLOTS - 1);
    while (!retained.compareAndSet(slot, FREE, oldest)) {
      slot = (slot + 1) & (SLOTS - 1);
      Thread.onSpinWait();
    }
    return slot;
  }

  /** Closes the view of a slot. */
  public void close(int slot) {
    retained.set(slot, FREE);
  }

  /** The first segment that any view retains; {@link Integer#MAX_VALUE} without views. */
  public int oldest() {
    int oldest = FREE;
    for (int slot = 0; slot < SLOTS; slot++) {
      oldest = Math.min(oldest, retained.get(slot));
    }
    return oldest;
  }
}
