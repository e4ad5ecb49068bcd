package io.github.stablecut.internal.thread;

import java.util.concurrent.ForkJoinPool.ManagedBlocker;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Bounds what some threads hold in memory together: who finds no room waits. One that wants more
 * than there is gets all of it, alone. In the order of asking, so nobody waits for ever.
 * Thread-safe.
 */
public final class HeapPermits {
  /**
   * What folds make, an eighth of the heap for all stores of the process: each makes a version of
   * its own, which shares with the others only what its effects leave alone, so many readers of a
   * large object at different snapshots would fill the heap. Who has waited often finds a newer
   * version to begin with.
   *
   * <p>Invariant: who holds it waits for nobody but the journal's file.
   */
  public static final HeapPermits FOLDS = new HeapPermits(Runtime.getRuntime().maxMemory() / 8);

  /**
   * What writers whose transactions are single calls make of their operations until they are
   * durable, an eighth of the heap for all stores of the process.
   *
   * <p>Invariant: who holds it waits for {@link #FOLDS}, for the journal and for prepared
   * transactions, none of which waits for it, and not for users' code.
   */
  public static final HeapPermits WRITES = new HeapPermits(Runtime.getRuntime().maxMemory() / 8);

  /** What takes less needs no room. */
  public static final long FREE_BYTES = 256 << 10;

  /** So many bytes are one permit. */
  private static final int UNIT = 1 << 10;

  /** What holds room; may be closed more than once. */
  public interface Held extends AutoCloseable {
    @Override
    void close();
  }

  /** No room. */
  public static final Held NOTHING = () -> {};

  private final int units;
  private final Semaphore free;

  /**
   * @param bytes for all together
   */
  HeapPermits(long bytes) {
    this.units = (int) Math.min(Integer.MAX_VALUE, Math.max(1, bytes / UNIT));
    this.free = new Semaphore(units, true);
  }

  /**
   * Takes room, and waits until there is some. An interrupt does not end the wait; its flag stays
   * set.
   *
   * @param bytes that are held, about
   */
  public Held take(long bytes) {
    if (bytes < FREE_BYTES) {
      return NOTHING;
    }
    // Made first: whatever fails from now on leaves no permits taken.
    Wait wait = new Wait((int) Math.min(units, bytes / UNIT));
    boolean isInterrupted = false;
    try {
      while (!wait.isReleasable()) {
        try {
          ManagedBlocking.block(wait);
        } catch (InterruptedException e) {
          isInterrupted = true;
        }
      }
    } catch (RuntimeException | Error e) {
      wait.close();
      throw e;
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return wait;
  }

  /** A wait for permits, which are taken once, and then holds them. */
  private final class Wait implements ManagedBlocker, Held {
    private final int wanted;
    private final AtomicBoolean isHeld = new AtomicBoolean();
    private boolean isOver;

    Wait(int wanted) {
      this.wanted = wanted;
    }

    @Override
    public boolean block() throws InterruptedException {
      if (!isOver) {
        free.acquire(wanted);
        isHeld.set(true);
        isOver = true;
      }
      return true;
    }

    @Override
    public boolean isReleasable() {
      return isOver;
    }

    @Override
    public void close() {
      if (isHeld.compareAndSet(true, false)) {
        free.release(wanted);
      }
    }
  }
}
