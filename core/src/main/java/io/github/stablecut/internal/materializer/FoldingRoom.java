package io.github.stablecut.internal.materializer;

import io.github.stablecut.internal.thread.ManagedWaits;
import java.util.concurrent.ForkJoinPool.ManagedBlocker;
import java.util.concurrent.Semaphore;

/**
 * Bounds what folds hold in memory together: each makes a version of its own, which shares with the
 * others only what its effects leave alone, so many readers of a large object at different
 * snapshots would fill the heap. Who finds no room waits, and often finds a newer version to begin
 * with afterwards. Thread-safe.
 *
 * <p>Invariant: who holds room waits for nobody but the journal's file.
 */
public final class FoldingRoom {
  /** An eighth of the heap, for all stores of the process. */
  public static final FoldingRoom OF_HEAP = new FoldingRoom(Runtime.getRuntime().maxMemory() / 8);

  /** What takes less needs no room. */
  private static final long FREE_BYTES = 256 << 10;

  /** So many bytes are one permit. */
  private static final int UNIT = 1 << 10;

  /** What holds room. */
  public interface Held extends AutoCloseable {
    @Override
    void close();
  }

  private static final Held NOTHING = () -> {};

  private final int units;
  private final Semaphore free;

  /**
   * @param bytes for all folds together
   */
  FoldingRoom(long bytes) {
    this.units = (int) Math.min(Integer.MAX_VALUE, Math.max(1, bytes / UNIT));
    this.free = new Semaphore(units, true);
  }

  /**
   * Takes room, and waits until there is some. An interrupt does not end the wait; its flag stays
   * set.
   *
   * @param bytes that a fold holds, about; all there are for more than that
   */
  public Held take(long bytes) {
    if (bytes < FREE_BYTES) {
      return NOTHING;
    }
    int wanted = (int) Math.min(units, bytes / UNIT);
    Wait wait = new Wait(wanted);
    boolean isInterrupted = false;
    while (!wait.isReleasable()) {
      try {
        ManagedWaits.block(wait);
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
    return () -> free.release(wanted);
  }

  /** A wait for permits, which are taken once. */
  private final class Wait implements ManagedBlocker {
    private final int wanted;
    private boolean isOver;

    Wait(int wanted) {
      this.wanted = wanted;
    }

    @Override
    public boolean block() throws InterruptedException {
      if (!isOver) {
        free.acquire(wanted);
        isOver = true;
      }
      return true;
    }

    @Override
    public boolean isReleasable() {
      return isOver;
    }
  }
}
