package io.github.stablecut.internal.thread;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Blocking operations for which a {@link ForkJoinPool} compensates with another thread. If the pool
 * has reached its maximum, which the JDK reports by {@link RejectedExecutionException}, the
 * operation blocks without compensation. Propagating the exception would leave the caller without
 * the outcome of an operation that continues elsewhere.
 */
public final class ManagedBlocking {
  private ManagedBlocking() {}

  /** Like {@link ForkJoinPool#managedBlock}. */
  public static void block(ForkJoinPool.ManagedBlocker blocker) throws InterruptedException {
    try {
      ForkJoinPool.managedBlock(blocker);
    } catch (RejectedExecutionException e) {
      boolean isOver = blocker.isReleasable();
      while (!isOver) {
        isOver = blocker.block();
      }
    }
  }

  /**
   * Executes a custom wait.
   *
   * @param wait waits and handles interrupts; executed once
   * @return the result of the wait
   */
  public static <T> T during(Supplier<T> wait) {
    CustomWait<T> waiting = new CustomWait<>(wait);
    try {
      block(waiting);
    } catch (InterruptedException e) {
      throw new AssertionError("the wait must handle interrupts itself", e);
    }
    return waiting.results.get(0);
  }

  /** A custom wait. Confined to the waiting thread. */
  private static final class CustomWait<T> implements ForkJoinPool.ManagedBlocker {
    private final Supplier<T> wait;

    /** The result of the wait; empty until it has returned. */
    private final List<T> results = new ArrayList<>(1);

    CustomWait(Supplier<T> wait) {
      this.wait = wait;
    }

    @Override
    public boolean block() {
      if (results.isEmpty()) {
        results.add(wait.get());
      }
      return true;
    }

    @Override
    public boolean isReleasable() {
      return !results.isEmpty();
    }
  }

  /**
   * Like {@link CompletableFuture#join}. An interrupt does not end the wait; its flag stays set.
   */
  @CanIgnoreReturnValue
  public static <T> T join(CompletableFuture<T> future) {
    boolean interrupted = false;
    try {
      while (!future.isDone()) {
        try {
          awaitDone(future, Long.MAX_VALUE);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return future.join();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Waits until a future is completed, normally or exceptionally.
   *
   * @param nanos the maximum wait
   * @return whether it is completed
   */
  @CanIgnoreReturnValue
  public static boolean awaitDone(CompletableFuture<?> future, long nanos)
      throws InterruptedException {
    try {
      future.get(nanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      return true;
    } catch (RejectedExecutionException e) {
      CountDownLatch done = new CountDownLatch(1);
      FireAndForget.whenDone(future, (value, failure) -> done.countDown());
      return done.await(nanos, TimeUnit.NANOSECONDS);
    }
  }
}
