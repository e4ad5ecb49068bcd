package io.github.stablecut.internal.partition;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * How a copy ceases to lead: its partition serves no more, commits what it was given, and is
 * closed; then another copy is asked to lead, for which any number of threads wait. Thread-safe.
 */
final class StepDown {
  private final ReplicaContext place;
  private final Predicate<Partition> leads;
  private final Consumer<Runnable> thread;

  /** Those that wait until another copy is about to lead, or none takes over. */
  private final Queue<CompletableFuture<Boolean>> waiting = new ConcurrentLinkedQueue<>();

  /** Held while a partition is closed: its files are opened again after that. */
  private final Object closing = new Object();

  /**
   * @param leads whether a partition is the one that the copy leads now
   * @param thread does something on the copy's thread
   */
  StepDown(ReplicaContext place, Predicate<Partition> leads, Consumer<Runnable> thread) {
    this.place = place;
    this.leads = leads;
    this.thread = thread;
  }

  /**
   * Closes the partition, has another copy asked to lead whatever goes wrong with that, and waits
   * until one is about to. May be called several times at once.
   *
   * @param ask asks, on the copy's thread; returns whether {@link #over} tells
   * @return whether another copy is about to lead, or the partition was not led any more
   */
  boolean resign(Partition led, BooleanSupplier ask, Duration atMost) {
    CompletableFuture<Boolean> given = new CompletableFuture<>();
    boolean unused = waiting.add(given);
    try {
      try {
        end(led);
      } finally {
        thread.accept(() -> ask(led, ask, given));
      }
      return isGiven(given, atMost);
    } finally {
      unused = waiting.removeIf(other -> other == given);
    }
  }

  private void ask(Partition led, BooleanSupplier ask, CompletableFuture<Boolean> given) {
    // The copy may have been deposed meanwhile, and lead again: nobody takes that over.
    if (!leads.test(led) || !ask.getAsBoolean()) {
      boolean unused = given.complete(!leads.test(led));
    }
  }

  private static boolean isGiven(CompletableFuture<Boolean> given, Duration atMost) {
    try {
      return given.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  /** Whether somebody waits for {@link #over}. */
  boolean isAwaited() {
    return !waiting.isEmpty();
  }

  /**
   * Nobody is waited for any more.
   *
   * @param isTaken whether another copy is about to lead
   */
  void over(boolean isTaken) {
    waiting.forEach(given -> given.complete(isTaken));
  }

  /** The partition serves no more, and is closed. May be called several times at once. */
  void end(Partition led) {
    try {
      place.follows(led);
    } finally {
      synchronized (closing) {
        led.close();
      }
    }
  }
}
