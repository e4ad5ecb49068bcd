package io.github.stablecut.internal.transaction;

import io.github.stablecut.Computation;
import io.github.stablecut.Store;
import io.github.stablecut.Values;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.NestedCallException;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates the functions that users pass to conditional writes. A function may not call the store
 * that it decides for, and may update only objects that it has queried. Thread-safe.
 */
public final class Evaluation {
  /** The stores whose functions the thread is evaluating, the innermost first; null if none. */
  private static final ThreadLocal<@Nullable Frame> FRAMES = new ThreadLocal<>();

  /**
   * An evaluation in progress. A function may write to another store and thereby start a nested
   * evaluation.
   */
  private record Frame(Store store, @Nullable Frame outer) {}

  /** The maximum number of attempts under contention. */
  private static final int MAX_ATTEMPTS = 1_000;

  private static final int MAX_PAUSES = 50;

  private Evaluation() {}

  /** Evaluates a function. The function may not call the store. */
  public static <R> Computation<R> of(
      Store store, Function<? super Values, Computation<R>> function, Values found) {
    Frame outer = FRAMES.get();
    FRAMES.set(new Frame(store, outer));
    try {
      return function.apply(found);
    } finally {
      FRAMES.set(outer);
    }
  }

  /**
   * Rejects calls from a condition or function: such a call could deadlock.
   *
   * @throws NestedCallException if this thread is evaluating a function of the store
   */
  public static void checkNotEvaluating(Store store) {
    for (Frame frame = FRAMES.get(); frame != null; frame = frame.outer) {
      if (frame.store == store) {
        throw new NestedCallException(
            "the condition or function of a conditional write called the store: decide from the given values only, and call the store before or after");
      }
    }
  }

  /**
   * Retries a write until it succeeds without a conflict. Backs off for a random time between
   * attempts.
   *
   * @param queries what the write reads, for messages
   * @param pauseNanos the longest wait after the first attempt; it grows with the number of
   *     attempts
   * @param attempt returns empty after a conflict
   * @throws ConflictException if all attempts conflicted
   */
  public static <T> T retryOnConflict(
      Collection<? extends Query<?>> queries, long pauseNanos, Supplier<Optional<T>> attempt) {
    for (int attempts = 1; attempts <= MAX_ATTEMPTS; attempts++) {
      Optional<T> won = attempt.get();
      if (won.isPresent()) {
        return won.get();
      }
      LockSupport.parkNanos(
          ThreadLocalRandom.current().nextLong(pauseNanos * Math.min(attempts, MAX_PAUSES)));
    }
    throw new ConflictException(
        "others changed %s between reading and writing in all %,d attempts: retry later"
            .formatted(queries, MAX_ATTEMPTS));
  }

  /**
   * Wraps a function so that a null result, or an update of an object that no query reads, is
   * rejected with {@link IllegalArgumentException}.
   *
   * @param queries what the function sees; at least one
   */
  public static <R> Function<Values, Computation<R>> restrictedToQueried(
      Collection<? extends Query<?>> queries, Function<? super Values, Computation<R>> function) {
    if (queries.isEmpty()) {
      throw new IllegalArgumentException(
          "compute needs at least one query: pass what the function reads");
    }
    Set<Bytes> queried =
        queries.stream().map(query -> query.target().id()).collect(Collectors.toSet());
    return found -> {
      Computation<R> computed = function.apply(found);
      if (computed == null) {
        throw new IllegalArgumentException(
            "the function of compute returned null: return Computation.of(result), with the updates to execute if there are any");
      }
      for (Update update : computed.updates()) {
        if (!queried.contains(update.key().id())) {
          throw new IllegalArgumentException(
              "the function updates %s without reading it: add it to the queries"
                  .formatted(update.key()));
        }
      }
      return computed;
    };
  }
}
