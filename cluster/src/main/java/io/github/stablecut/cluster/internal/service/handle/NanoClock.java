package io.github.stablecut.cluster.internal.service.handle;

/** A monotonic clock with an arbitrary origin. Thread-safe. */
@FunctionalInterface
public interface NanoClock {
  /** Returns its time in nanoseconds. */
  long nanos();
}
