package io.github.stablecut.object;

import io.github.stablecut.internal.thread.ManagedBlocking;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** Executes calls that need more stack than the current thread has. */
final class DeepStackCall {
  /** Reserved address space; memory is used only as a call needs it. */
  private static final long STACK_BYTES = 16L << 20;

  private DeepStackCall() {}

  /**
   * Executes a call on this thread and, if its stack overflows, again on a thread with a large
   * stack.
   */
  static <T> T ifNeeded(Supplier<T> call) {
    try {
      return call.get();
    } catch (StackOverflowError e) {
      return execute(call);
    }
  }

  /** Executes a call on a thread with a large stack, and throws what it throws. */
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
