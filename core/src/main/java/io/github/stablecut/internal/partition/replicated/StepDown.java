package io.github.stablecut.internal.partition.replicated;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.internal.partition.Partition;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Steps down from leading: the partition stops serving, commits what it was given, and is closed.
 * Then it asks another replica to lead; any number of threads can wait for that. Thread-safe.
 */
final class StepDown {
  private final ReplicaContext place;
  private final Predicate<Partition> leads;
  private final Consumer<Runnable> thread;

  /** The threads that wait until another replica is about to lead, or all have declined. */
  private final Queue<CompletableFuture<Boolean>> waiting = new ConcurrentLinkedQueue<>();

  /** Closes a partition: its files are reopened afterwards. */
  private final Executor closing;

  /**
   * @param leads whether the replica currently leads with the given partition
   * @param thread runs an action on the replica's thread
   * @param closing closes a partition, one at a time
   */
  StepDown(
      ReplicaContext place,
      Predicate<Partition> leads,
      Consumer<Runnable> thread,
      Executor closing) {
    this.place = place;
    this.leads = leads;
    this.thread = thread;
    this.closing = closing;
  }

  /**
   * Closes the partition, asks another replica to lead even if closing fails, and waits until one
   * is about to. May be called several times at once.
   *
   * @param ask asks on the replica's thread; returns whether {@link #over} will report the outcome
   * @return whether another replica is about to lead, or the partition had already stopped leading
   */
  @CanIgnoreReturnValue
  boolean resign(Partition led, BooleanSupplier ask, Duration atMost) {
    CompletableFuture<Boolean> transfer = new CompletableFuture<>();
    waiting.add(transfer);
    try {
      try {
        end(led);
      } finally {
        thread.accept(() -> ask(led, ask, transfer));
      }
      return awaitTransfer(transfer, atMost);
    } finally {
      waiting.removeIf(other -> other == transfer);
    }
  }

  private void ask(Partition led, BooleanSupplier ask, CompletableFuture<Boolean> transfer) {
    // The replica may have been deposed and elected again meanwhile: no replica takes over from
    // that.
    if (!leads.test(led) || !ask.getAsBoolean()) {
      transfer.complete(!leads.test(led));
    }
  }

  private static boolean awaitTransfer(CompletableFuture<Boolean> transfer, Duration atMost) {
    try {
      return transfer.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  /** Whether a thread waits for {@link #over}. */
  boolean isAwaited() {
    return !waiting.isEmpty();
  }

  /**
   * Ends the wait.
   *
   * @param isTaken whether another replica is about to lead
   */
  void over(boolean isTaken) {
    waiting.forEach(transfer -> transfer.complete(isTaken));
  }

  /** Stops the partition from serving and closes it. May be called several times at once. */
  void end(Partition led) {
    try {
      place.follows(led);
    } finally {
      closing.execute(led::close);
    }
  }
}
