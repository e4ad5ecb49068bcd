package io.github.stablecut.internal.partition;

import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.TransactionTimeoutException;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.thread.ManagedWaits;
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
 * Uncertified writers of objects that a prepared transaction has certified. They wait until that
 * transaction is decided and are ordered after it, so that what it has read is still true at its
 * commit time. A certified transaction never waits for anybody, so nobody waits in a circle.
 * Thread-safe.
 */
final class HeldBack {
  /** A writer, and when it is given up. */
  private record Waiting(CommitRequest request, long due, CompletableFuture<Void> released) {}

  private final Sequencer sequencer;
  private final LongSupplier nanoTime;
  private final Duration timeout;

  /** Guarded by the commit lock. */
  private final List<Waiting> waiting = new ArrayList<>();

  /** Guarded by the commit lock. */
  private boolean isClosed;

  /**
   * @param timeout how long a writer waits at most
   */
  HeldBack(Sequencer sequencer, LongSupplier nanoTime, Duration timeout) {
    this.sequencer = sequencer;
    this.nanoTime = nanoTime;
    this.timeout = timeout;
  }

  /**
   * Completes once no prepared transaction has certified what a request writes: it may be tried
   * again. Fails with {@link TransactionTimeoutException} if that takes too long. Completes on the
   * thread that learns of the decision.
   */
  CompletableFuture<Void> release(CommitRequest request) {
    CompletableFuture<Void> released = new CompletableFuture<>();
    boolean isHeld = sequencer.call(() -> hold(request, released));
    if (!isHeld) {
      // Of a closed journal the next try tells.
      released.complete(null);
    }
    return released;
  }

  /** Has a request wait if something holds it back. Under the commit lock. */
  private boolean hold(CommitRequest request, CompletableFuture<Void> released) {
    if (isClosed || sequencer.certifier().holder(request).isEmpty()) {
      return false;
    }
    long due = nanoTime.getAsLong() + timeout.toNanos();
    return waiting.add(new Waiting(request, due, released));
  }

  /**
   * Does something with a request, and again each time that it was held back and is released. An
   * interrupt does not end the wait; its flag stays set.
   */
  <T> T retry(CommitRequest request, Supplier<T> action) {
    while (true) {
      try {
        return action.get();
      } catch (HeldBackException e) {
        await(request);
      }
    }
  }

  private void await(CommitRequest request) {
    try {
      var unused = ManagedWaits.join(release(request));
    } catch (CompletionException e) {
      throw e.getCause() instanceof StablecutException failure ? failure : e;
    }
  }

  /** As {@link #retry}, without waiting: it is done again on an executor. */
  <T> CompletionStage<T> retryAsync(
      CommitRequest request, Supplier<CompletionStage<T>> action, Executor executor) {
    try {
      return action.get();
    } catch (HeldBackException e) {
      return release(request)
          .thenComposeAsync(free -> retryAsync(request, action, executor), executor);
    }
  }

  /** Releases those that nothing holds back any more. Without the commit lock. */
  void changed() {
    List<Waiting> free =
        remove(next -> sequencer.certifier().holder(next.request).isEmpty(), next -> next);
    free.forEach(next -> next.released.complete(null));
  }

  /** Gives up those that have waited for too long. */
  void tick(long now) {
    List<Runnable> failures =
        remove(
            next -> now - next.due > 0,
            next -> {
              StablecutException failure = timeout(next.request);
              return () -> next.released.completeExceptionally(failure);
            });
    failures.forEach(Runnable::run);
  }

  /** Takes out some of those that wait, and says under the commit lock what becomes of each. */
  private <T> List<T> remove(Predicate<Waiting> isOver, Function<Waiting, T> outcome) {
    return sequencer.call(
        () -> {
          List<T> outcomes = new ArrayList<>(0);
          for (Iterator<Waiting> all = waiting.iterator(); all.hasNext(); ) {
            Waiting next = all.next();
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
        "object %s can't be written before transaction %s, which has certified it, is decided, and it was not within %s: nothing was changed; try again, or open the partition that coordinates it"
            .formatted(object, by, DurationWords.of(timeout)));
  }

  /** The journal is closed: who waits tries again, and is told so. */
  void close() {
    List<Waiting> all =
        sequencer.call(
            () -> {
              isClosed = true;
              List<Waiting> left = List.copyOf(waiting);
              waiting.clear();
              return left;
            });
    all.forEach(next -> next.released.complete(null));
  }
}
