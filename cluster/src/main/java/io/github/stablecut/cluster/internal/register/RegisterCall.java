package io.github.stablecut.cluster.internal.register;

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
 * A command on its way to whoever leads the register. All that keep it are asked at once, and those
 * that have not taken the command again, until one tells its outcome: after the leader was lost
 * nobody waits for it, and the next one is found as soon as there is one. Thread-safe.
 */
final class RegisterCall {
  /** Who does not lead the register is asked again after so long. */
  private static final long AGAIN_MILLIS = 200;

  /** So long it is tried. */
  private static final long PATIENCE_MILLIS = 3_000;

  private final List<String> keepers;
  private final Function<String, CompletionStage<Optional<byte[]>>> ask;
  private final Executor executor;
  private final long deadline;
  private final CompletableFuture<byte[]> outcome = new CompletableFuture<>();

  /** Those that have not answered yet: they may have taken the command. */
  private final Set<String> asked = ConcurrentHashMap.newKeySet();

  /** What each of them has said last. */
  private final Map<String, String> said = new ConcurrentHashMap<>();

  private RegisterCall(
      List<String> keepers,
      Function<String, CompletionStage<Optional<byte[]>>> ask,
      Executor executor,
      long patienceMillis) {
    this.keepers = keepers;
    this.ask = ask;
    this.executor = executor;
    this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
  }

  /**
   * Asks.
   *
   * @param ask asks a node; the answer is empty if the node does not lead the register, and has not
   *     taken the command
   * @param executor asks again; asking may take long
   * @return completes with the outcome, or exceptionally if nobody tells one in a few seconds
   */
  static CompletableFuture<byte[]> start(
      List<String> keepers,
      Function<String, CompletionStage<Optional<byte[]>>> ask,
      Executor executor) {
    return start(keepers, ask, executor, PATIENCE_MILLIS);
  }

  static CompletableFuture<byte[]> start(
      List<String> keepers,
      Function<String, CompletionStage<Optional<byte[]>>> ask,
      Executor executor,
      long patienceMillis) {
    RegisterCall call = new RegisterCall(keepers, ask, executor, patienceMillis);
    call.askAll();
    return call.outcome;
  }

  private void askAll() {
    try {
      for (String keeper : keepers) {
        if (!outcome.isDone() && asked.add(keeper)) {
          var unused =
              ask.apply(keeper)
                  .handle(
                      (answer, failed) ->
                          failed == null
                              ? answered(keeper, answer)
                              : askAgain(keeper, words(failed)));
        }
      }
      if (!outcome.isDone() && System.nanoTime() - deadline > 0) {
        fail(
            new IOException(
                "none of the nodes %s leads the register now; they have said %s"
                    .formatted(keepers, said)));
      } else if (!outcome.isDone()) {
        DeferredExecutor.execute(this::askAll, AGAIN_MILLIS, executor, this::fail);
      }
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  private void fail(Throwable cause) {
    boolean unused = outcome.completeExceptionally(cause);
  }

  private boolean answered(String keeper, Optional<byte[]> answer) {
    return answer.isPresent()
        ? outcome.complete(answer.get())
        : askAgain(keeper, "that they do not");
  }

  private boolean askAgain(String keeper, String why) {
    var unused = said.put(keeper, why);
    return asked.remove(keeper);
  }

  /** For an operator: without what only carries a failure from another thread. */
  private static String words(Throwable failed) {
    Throwable cause = failed.getCause();
    return failed instanceof CompletionException && cause != null
        ? words(cause)
        : Objects.requireNonNullElse(failed.getMessage(), failed.getClass().getSimpleName());
  }
}
