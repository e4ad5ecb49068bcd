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
 * The evaluation of users' functions in conditional writes. A function may not call the store that
 * it decides for, and updates only objects that it was shown something of. Thread-safe.
 */
public final class Evaluation {
  /** The stores whose functions the thread is evaluating, the innermost first; null if none. */
  private static final ThreadLocal<@Nullable Asking> ASKING = new ThreadLocal<>();

  /** A function may write to another store, and so evaluate one of that. */
  private record Asking(Store store, @Nullable Asking outer) {}

  /** The most attempts under contention. */
  private static final int MAX_ATTEMPTS = 1_000;

  private static final int MAX_PAUSES = 50;

  private Evaluation() {}

  /** Evaluates a function, which may not call the store. */
  public static <R> Computation<R> of(
      Store store, Function<? super Values, Computation<R>> function, Values found) {
    Asking outer = ASKING.get();
    ASKING.set(new Asking(store, outer));
    try {
      return function.apply(found);
    } finally {
      ASKING.set(outer);
    }
  }

  /**
   * Refuses a call from a condition or function: it could wait for threads that wait for it.
   *
   * @throws NestedCallException if this thread is evaluating one of the store
   */
  public static void checkNone(Store store) {
    for (Asking asking = ASKING.get(); asking != null; asking = asking.outer) {
      if (asking.store == store) {
        throw new NestedCallException(
            "the condition or function of a conditional write has called the store, which it must not do: decide by the values that it is given, and call the store before or after");
      }
    }
  }

  /**
   * Attempts a write that loses to others until it wins. Between attempts it waits for a random
   * time.
   *
   * @param queries what it reads, for messages
   * @param pauseNanos the longest wait after the first attempt; it grows with their number
   * @param attempt empty if another transaction was faster
   * @throws ConflictException if none of many attempts has won
   */
  public static <T> T untilWon(
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
        "%s were changed by others %,d times between reading and writing: try again later"
            .formatted(queries, MAX_ATTEMPTS));
  }

  /**
   * The same function, which refuses to update objects that no query is about.
   *
   * @param queries what it is shown; at least one
   */
  public static <R> Function<Values, Computation<R>> ofShown(
      Collection<? extends Query<?>> queries, Function<? super Values, Computation<R>> function) {
    if (queries.isEmpty()) {
      throw new IllegalArgumentException("nothing to compute from: name what the function needs");
    }
    Set<Bytes> shown =
        queries.stream().map(query -> query.target().id()).collect(Collectors.toSet());
    return found -> {
      Computation<R> computed = function.apply(found);
      for (Update update : computed.updates()) {
        if (!shown.contains(update.key().id())) {
          throw new IllegalArgumentException(
              "the function updates %s, of which it was shown nothing: name it among the queries"
                  .formatted(update.key()));
        }
      }
      return computed;
    };
  }
}
