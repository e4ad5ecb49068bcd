package io.github.stablecut.internal.partition;

/** Where a copy of a partition keeps the newest epoch that it has promised. */
public interface Promises {
  /** What was written last; 0 for nothing. */
  long read();

  /** Writes an epoch, durably, before it returns. */
  void write(long epoch);
}
