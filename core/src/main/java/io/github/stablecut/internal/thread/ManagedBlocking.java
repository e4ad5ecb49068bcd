package io.github.stablecut.internal.thread;

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
 * Waiting in which a thread of a {@link ForkJoinPool} lets another one take its place. If the pool
 * has as many threads as it may, which the JDK reports by {@link RejectedExecutionException}, it is
 * waited all the same, without another: what is waited for happens elsewhere, and who were told
 * that the wait was rejected would not know what became of it.
 */
public final class ManagedBlocking {
  private ManagedBlocking() {}

  /** As {@link ForkJoinPool#managedBlock}. */
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
   * Executes a wait of its own kind.
   *
   * @param wait waits, and deals with interrupts; executed once
   * @return what it returns
   */
  public static <T> T during(Supplier<T> wait) {
    Waiting<T> waiting = new Waiting<>(wait);
    try {
      block(waiting);
    } catch (InterruptedException e) {
      throw new AssertionError("an interrupt is the wait's own affair", e);
    }
    return waiting.results.get(0);
  }

  /** A wait, confined to the thread that waits. */
  private static final class Waiting<T> implements ForkJoinPool.ManagedBlocker {
    private final Supplier<T> wait;

    /** What the wait has returned; empty before. */
    private final List<T> results = new ArrayList<>(1);

    Waiting(Supplier<T> wait) {
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

  /** As {@link CompletableFuture#join}. An interrupt does not end the wait; its flag stays set. */
  public static <T> T join(CompletableFuture<T> future) {
    boolean interrupted = false;
    try {
      while (!future.isDone()) {
        try {
          boolean unused = isDone(future, Long.MAX_VALUE);
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
   * Waits until a future is completed, be it by a failure.
   *
   * @param nanos how long at most
   * @return whether it is
   */
  public static boolean isDone(CompletableFuture<?> future, long nanos)
      throws InterruptedException {
    try {
      var unused = future.get(nanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      return true;
    } catch (RejectedExecutionException e) {
      CountDownLatch done = new CountDownLatch(1);
      var unused = future.whenComplete((value, failure) -> done.countDown());
      return done.await(nanos, TimeUnit.NANOSECONDS);
    }
  }
}
