package io.github.stablecut.cluster.internal.service;

/** A clock that runs evenly, from any point. Thread-safe. */
@FunctionalInterface
public interface NanoClock {
  /** Its time in nanoseconds. */
  long nanos();
}
