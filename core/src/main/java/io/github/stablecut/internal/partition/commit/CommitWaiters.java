package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.TransactionTimeoutException;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.thread.ManagedBlocking;
import io.github.stablecut.key.Key;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Writers that wait until a prepared transaction is decided. Uncertified writers of an object that
 * it has certified are ordered after it, so that its reads still hold at its commit time. Certified
 * writers of this partition alone wait if, by their snapshot, it may already be decided.
 *
 * <p>There is no deadlock: certified parts of transactions over several partitions never wait here,
 * and are prepared after the other participants' parts. The coordinator's part, which comes last,
 * never waits after them. So no writer waits for a transaction that itself waits. Thread-safe.
 */
public final class CommitWaiters {
  /** A waiting writer and its deadline. */
  private record WaitingCommit(
      CommitRequest request, long dueNanos, CompletableFuture<Void> released) {}

  private final Sequencer sequencer;
  private final LongSupplier nanoTime;
  private final Duration timeout;

  /** Guarded by the commit lock. */
  private final List<WaitingCommit> waiting = new ArrayList<>();

  /** Guarded by the commit lock. */
  private boolean isClosed;

  /**
   * @param timeout the longest wait of a writer
   */
  public CommitWaiters(Sequencer sequencer, LongSupplier nanoTime, Duration timeout) {
    this.sequencer = sequencer;
    this.nanoTime = nanoTime;
    this.timeout = timeout;
  }

  /**
   * Completes once a request has to wait for no prepared transaction, so that the caller may retry.
   * Fails with {@link TransactionTimeoutException} after the timeout. Completes on the thread that
   * learns of the decision.
   */
  public CompletableFuture<Void> release(CommitRequest request) {
    CompletableFuture<Void> released = new CompletableFuture<>();
    boolean isHeld = sequencer.call(() -> hold(request, released));
    if (!isHeld) {
      // The retry reports the closed journal.
      released.complete(null);
    }
    return released;
  }

  /** Queues a request if it is held back. Under the commit lock. */
  private boolean hold(CommitRequest request, CompletableFuture<Void> released) {
    if (isClosed || sequencer.certifier().holder(request).isEmpty()) {
      return false;
    }
    long dueNanos = nanoTime.getAsLong() + timeout.toNanos();
    return waiting.add(new WaitingCommit(request, dueNanos, released));
  }

  /**
   * Executes an action on a request, and retries it whenever the request was held back and is
   * released. Ignores interrupts and keeps the interrupt flag.
   */
  public <T> T retry(CommitRequest request, Function<CommitRequest, T> action) {
    while (true) {
      try {
        return action.apply(request);
      } catch (CommitBlockedException e) {
        await(request);
      }
    }
  }

  private void await(CommitRequest request) {
    try {
      ManagedBlocking.join(release(request));
    } catch (CompletionException e) {
      throw e.getCause() instanceof StablecutException failure ? failure : e;
    }
  }

  /** Like {@link #retry}, without blocking: retries run on an executor. */
  public <T> CompletionStage<T> retryAsync(
      CommitRequest request, Supplier<CompletionStage<T>> action, Executor executor) {
    try {
      return action.get();
    } catch (CommitBlockedException e) {
      return release(request)
          .thenComposeAsync(free -> retryAsync(request, action, executor), executor);
    }
  }

  /** Releases the writers that are no longer held back. Without the commit lock. */
  public void changed() {
    List<WaitingCommit> free =
        remove(next -> sequencer.certifier().holder(next.request).isEmpty(), next -> next);
    free.forEach(next -> next.released.complete(null));
  }

  /** Fails the writers that have waited too long. */
  public void tick(long nowNanos) {
    List<Runnable> failures =
        remove(
            next -> nowNanos - next.dueNanos > 0,
            next -> {
              StablecutException failure = timeout(next.request);
              return () -> next.released.completeExceptionally(failure);
            });
    failures.forEach(Runnable::run);
  }

  /** Removes the matching writers, and computes the result of each under the commit lock. */
  private <T> List<T> remove(Predicate<WaitingCommit> isOver, Function<WaitingCommit, T> outcome) {
    return sequencer.call(
        () -> {
          List<T> outcomes = new ArrayList<>(0);
          for (Iterator<WaitingCommit> all = waiting.iterator(); all.hasNext(); ) {
            WaitingCommit next = all.next();
            if (isOver.test(next)) {
              all.remove();
              outcomes.add(outcome.apply(next));
            }
          }
          return outcomes;
        });
  }

  private TransactionTimeoutException timeout(CommitRequest request) {
    Optional<Certifier.Holder> holder = sequencer.certifier().holder(request);
    String object = holder.map(held -> Key.nameOf(held.object())).orElse("");
    String by = holder.map(Certifier.Holder::transaction).map(TransactionId::toString).orElse("");
    return new TransactionTimeoutException(
        "object %s can't be written until transaction %s, which has certified or written it, is decided, which took longer than %s: nothing was changed; try again, or open the partition that coordinates it"
            .formatted(object, by, DurationWords.of(timeout)));
  }

  /** Releases all writers: the journal is closed, and their retries report it. */
  public void close() {
    List<WaitingCommit> all =
        sequencer.call(
            () -> {
              isClosed = true;
              List<WaitingCommit> left = List.copyOf(waiting);
              waiting.clear();
              return left;
            });
    all.forEach(next -> next.released.complete(null));
  }
}
