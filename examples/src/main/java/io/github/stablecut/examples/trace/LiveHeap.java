package io.github.stablecut.examples.trace;

import java.lang.management.ManagementFactory;

/** Measures the live heap. */
public final class LiveHeap {
  private static final int MAX_ROUNDS = 10;

  private LiveHeap() {}

  /** Collects garbage until that frees nothing more, and returns the used bytes. */
  public static long usedBytes() {
    long used = collect();
    for (int round = 0; round < MAX_ROUNDS; round++) {
      long after = collect();
      if (after >= used) {
        return used;
      }
      used = after;
    }
    return used;
  }

  private static long collect() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
