package io.github.stablecut.cluster.internal.service;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * A received request.
 *
 * @param work decodes the request
 * @param atNanos when it arrived, in the service's clock
 * @param release releases the memory that it reserves, once
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

  /** Returns a copy with the decoded work. */
  ReceivedRequest with(Work<?> decoded) {
    return new ReceivedRequest(() -> decoded, bytes, atNanos, release);
  }
}
