package io.github.stablecut.cluster.internal.service;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * A request that has come.
 *
 * @param work finds out what it asks for
 * @param release gives back the memory that it claims, once
 */
record Arrived(Supplier<Work<?>> work, long bytes, long atNanos, Runnable release) {
  Arrived {
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
  Arrived with(Work<?> known) {
    return new Arrived(() -> known, bytes, atNanos, release);
  }
}
