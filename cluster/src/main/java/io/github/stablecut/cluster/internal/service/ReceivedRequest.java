package io.github.stablecut.cluster.internal.service;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * A request that has come.
 *
 * @param work finds out what it asks for
 * @param release gives back the memory that it claims, once
 */
record ReceivedRequest(Supplier<Work<?>> work, long bytes, long atNanos, Runnable release) {
  ReceivedRequest {
    AtomicBoolean isReleased = new AtomicBoolean();
    Runnable once = release;
    release =
        () -> {
          if (isReleased.compareAndSet(false, true)) {
            once.run();
          }
        };
  }

  /** The same one, which asks for what was found out. */
  ReceivedRequest with(Work<?> known) {
    return new ReceivedRequest(() -> known, bytes, atNanos, release);
  }
}
