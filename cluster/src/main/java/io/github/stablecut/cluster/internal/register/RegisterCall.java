package io.github.stablecut.cluster.internal.register;

import io.github.stablecut.internal.thread.FireAndForget;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A call to the leader of the register. It goes to all keepers at once, and again to those that did
 * not take it, until one returns the outcome. So no call waits for a lost leader, and a new leader
 * is found at once. Thread-safe.
 */
final class RegisterCall {
  /** The interval of retries. */
  private static final long RETRY_MILLIS = 200;

  /** The timeout of the call. */
  private static final long TIMEOUT_MILLIS = 3_000;

  private final List<String> keepers;
  private final Function<String, CompletionStage<Optional<byte[]>>> ask;
  private final Executor executor;
  private final long deadlineNanos;
  private final CompletableFuture<byte[]> outcome = new CompletableFuture<>();

  /** The keepers with a request in flight: they may have taken the call. */
  private final Set<String> inFlight = ConcurrentHashMap.newKeySet();

  /** The last failure of each keeper. */
  private final Map<String, String> failures = new ConcurrentHashMap<>();

  private RegisterCall(
      List<String> keepers,
      Function<String, CompletionStage<Optional<byte[]>>> ask,
      Executor executor,
      long timeoutMillis) {
    this.keepers = keepers;
    this.ask = ask;
    this.executor = executor;
    this.deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
  }

  /**
   * Starts a call.
   *
   * @param ask sends the request to a node; the answer is empty if the node does not lead the
   *     register and has not taken the call
   * @param executor runs the retries, which may block
   * @return completes with the outcome, or exceptionally if there is none within 3 seconds
   */
  static CompletableFuture<byte[]> start(
      List<String> keepers,
      Function<String, CompletionStage<Optional<byte[]>>> ask,
      Executor executor) {
    return start(keepers, ask, executor, TIMEOUT_MILLIS);
  }

  static CompletableFuture<byte[]> start(
      List<String> keepers,
      Function<String, CompletionStage<Optional<byte[]>>> ask,
      Executor executor,
      long timeoutMillis) {
    RegisterCall call = new RegisterCall(keepers, ask, executor, timeoutMillis);
    call.sendToAll();
    return call.outcome;
  }

  private void sendToAll() {
    try {
      for (String keeper : keepers) {
        if (!outcome.isDone() && inFlight.add(keeper)) {
          FireAndForget.whenDone(
              ask.apply(keeper),
              (answer, failed) -> {
                if (failed == null) {
                  onAnswer(keeper, answer);
                } else {
                  allowRetry(keeper, describe(failed));
                }
              });
        }
      }
      if (!outcome.isDone() && System.nanoTime() - deadlineNanos > 0) {
        fail(
            new IOException(
                "none of the nodes %s leads the configuration register now; their answers: %s"
                    .formatted(keepers, failures)));
      } else if (!outcome.isDone()) {
        DeferredExecutor.execute(this::sendToAll, RETRY_MILLIS, executor, this::fail);
      }
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  private void fail(Throwable cause) {
    outcome.completeExceptionally(cause);
  }

  private void onAnswer(String keeper, Optional<byte[]> answer) {
    if (answer.isPresent()) {
      outcome.complete(answer.get());
    } else {
      allowRetry(keeper, "not the leader");
    }
  }

  private void allowRetry(String keeper, String why) {
    failures.put(keeper, why);
    inFlight.remove(keeper);
  }

  /** A description of a failure, without the wrappers of other threads. */
  private static String describe(Throwable failed) {
    Throwable cause = failed.getCause();
    return failed instanceof CompletionException && cause != null
        ? describe(cause)
        : Objects.requireNonNullElse(failed.getMessage(), failed.getClass().getSimpleName());
  }
}
