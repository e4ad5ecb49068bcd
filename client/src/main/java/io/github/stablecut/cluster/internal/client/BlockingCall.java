package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.internal.thread.ManagedBlocking;
import java.util.Optional;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Supplier;

/**
 * A call that blocks until a server answers. In the common pool, a spare thread replaces the
 * blocked one, so a silent server delays no other caller. Confined to one thread.
 *
 * @param <T> the result
 */
final class BlockingCall<T> implements ForkJoinPool.ManagedBlocker {
  private final Supplier<T> call;
  private Optional<Supplier<T>> result = Optional.empty();

  private BlockingCall(Supplier<T> call) {
    this.call = call;
  }

  /** Makes a call once and rethrows its exception. */
  static <T> T make(Supplier<T> call) {
    BlockingCall<T> made = new BlockingCall<>(call);
    try {
      ManagedBlocking.block(made);
    } catch (InterruptedException e) {
      throw new AssertionError("a blocking call is not interruptible", e);
    }
    return made.result.orElseThrow().get();
  }

  @Override
  public boolean block() {
    if (result.isEmpty()) {
      T value = call.get();
      result = Optional.of(() -> value);
    }
    return true;
  }

  @Override
  public boolean isReleasable() {
    return result.isPresent();
  }
}
