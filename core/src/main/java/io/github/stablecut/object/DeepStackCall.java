package io.github.stablecut.object;

import io.github.stablecut.internal.thread.ManagedBlocking;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** Executes calls that need more stack than the thread has that happens to execute them. */
final class DeepStackCall {
  /** Reserved, not used, unless a call needs it. */
  private static final long STACK_BYTES = 16L << 20;

  private DeepStackCall() {}

  /** Executes a call here, and if the stack does not suffice, on a thread with much of it. */
  static <T> T ifNeeded(Supplier<T> call) {
    try {
      return call.get();
    } catch (StackOverflowError e) {
      return execute(call);
    }
  }

  /** Executes a call on a thread with much stack, and throws what it throws. */
  static <T> T execute(Supplier<T> call) {
    CompletableFuture<T> made = new CompletableFuture<>();
    Thread thread =
        new Thread(
            null,
            () -> {
              try {
                made.complete(call.get());
              } catch (Throwable e) {
                made.completeExceptionally(e);
              }
            },
            "stablecut-deep-call",
            STACK_BYTES);
    thread.setDaemon(true);
    thread.start();
    try {
      return ManagedBlocking.join(made);
    } catch (CompletionException e) {
      throw UserCodeFailures.<RuntimeException>rethrow(e.getCause() == null ? e : e.getCause());
    }
  }
}
