package io.github.stablecut.internal.thread;

import java.util.Optional;
import java.util.concurrent.ForkJoinPool.ManagedBlocker;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A fair semaphore of heap bytes: limits the memory that several threads hold together, and makes
 * further threads wait. A request above the total gets all permits, exclusively. Permits are
 * granted in order, so no thread waits forever. Thread-safe.
 */
public final class HeapPermits {
  /**
   * The permits for folding, an eighth of the heap for all stores of the process. Each fold creates
   * a version that shares only unchanged parts with the others, so many readers of a large object
   * at different snapshots would fill the heap. After waiting, a reader often finds a newer version
   * to start from.
   *
   * <p>Invariant: a holder waits for the journal's file only.
   */
  public static final HeapPermits FOLDS = new HeapPermits(Runtime.getRuntime().maxMemory() / 8);

  /**
   * The permits for the effects of single-call transactions until they are durable, an eighth of
   * the heap for all stores of the process.
   *
   * <p>Invariant: a holder waits for {@link #FOLDS}, the journal and prepared transactions, none of
   * which waits for these permits, and never for user code.
   */
  public static final HeapPermits WRITES = new HeapPermits(Runtime.getRuntime().maxMemory() / 8);

  /**
   * The permits for large records that watches read from journals, until they count as {@code
   * WatchMemory}; an eighth of the heap for all stores of the process.
   *
   * <p>Invariant: only watches acquire these permits, and neither commits nor folds wait for them.
   */
  public static final HeapPermits WATCHES = new HeapPermits(Runtime.getRuntime().maxMemory() / 8);

  /** Requests below this size need no permits. */
  public static final long FREE_BYTES = 256 << 10;

  /** The bytes per permit. */
  private static final int UNIT = 1 << 10;

  /** Acquired permits; may be closed more than once. */
  public interface Permits extends AutoCloseable {
    @Override
    void close();
  }

  /** No permits. */
  public static final Permits NOTHING = () -> {};

  private final int units;
  private final Semaphore free;

  /**
   * @param bytes the total of all permits
   */
  public HeapPermits(long bytes) {
    this.units = (int) Math.min(Integer.MAX_VALUE, Math.max(1, bytes / UNIT));
    this.free = new Semaphore(units, true);
  }

  /**
   * Acquires permits; waits until they are available. An interrupt does not end the wait; its flag
   * stays set.
   *
   * @param bytes the approximate bytes that will be held
   */
  public Permits acquire(long bytes) {
    if (bytes < FREE_BYTES) {
      return NOTHING;
    }
    // Allocated first, so that no later failure leaks permits.
    PermitWait wait =
        new PermitWait(
            bytes,
            permits -> {
              free.acquire(permits);
              return true;
            });
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

  /**
   * Acquires permits if they are available by a time of {@link System#nanoTime}; after that time,
   * only if they are available at once and no other thread waits.
   *
   * @return the permits; empty if they were not available
   */
  public Optional<Permits> tryAcquire(long bytes, long deadlineNanos) throws InterruptedException {
    if (bytes < FREE_BYTES) {
      return Optional.of(NOTHING);
    }
    PermitWait wait =
        new PermitWait(
            bytes,
            permits -> {
              long nanos = Math.max(0, deadlineNanos - System.nanoTime());
              return free.tryAcquire(permits, nanos, TimeUnit.NANOSECONDS);
            });
    // Allocated first, so that no later failure leaks permits.
    Optional<Permits> held = Optional.of(wait);
    ManagedBlocking.block(wait);
    return wait.isHeld.get() ? held : Optional.empty();
  }

  /** Acquires a number of permits, and returns whether it has them. May block. */
  @FunctionalInterface
  private interface Attempt {
    boolean acquire(int permits) throws InterruptedException;
  }

  /** A wait for permits, which then holds them. It attempts to acquire them once. */
  private final class PermitWait implements ManagedBlocker, Permits {
    private final int requested;
    private final Attempt attempt;
    private final AtomicBoolean isHeld = new AtomicBoolean();
    private boolean isOver;

    PermitWait(long bytes, Attempt attempt) {
      this.requested = (int) Math.min(units, bytes / UNIT);
      this.attempt = attempt;
    }

    @Override
    public boolean block() throws InterruptedException {
      if (!isOver) {
        isHeld.set(attempt.acquire(requested));
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
        free.release(requested);
      }
    }
  }
}
