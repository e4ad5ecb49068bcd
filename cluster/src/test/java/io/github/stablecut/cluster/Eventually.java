package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.fail;

import java.util.concurrent.Callable;

/** Waits for what comes about by itself: looks until it is there. */
public final class Eventually {
  private static final int PAUSE_MILLIS = 10;

  /** What is not there by then never will be; a machine that is busy gets there before. */
  private static final long HANGS_NANOS = 180_000_000_000L;

  private Eventually() {}

  /** Waits until a condition is seen to hold. */
  public static void holds(String what, Callable<Boolean> condition) throws Exception {
    long begun = System.nanoTime();
    while (!condition.call()) {
      if (System.nanoTime() - begun > HANGS_NANOS) {
        fail("for three minutes it has not come about that " + what);
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }
}
