package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for what comes about by itself: looks until it is there. */
public final class Eventually {
  private static final int PAUSE_MILLIS = 10;

  /** What is not there by then never will be; a machine that is busy gets there before. */
  private static final Duration HANGS = Duration.ofMinutes(3);

  private Eventually() {}

  /** Waits until a condition is seen to hold. */
  public static void holds(String what, Callable<Boolean> condition) throws Exception {
    holds(what, HANGS, condition);
  }

  /**
   * Waits for what takes minutes on a quiet machine.
   *
   * @param hangs what is not there by then never will be
   */
  static void holds(String what, Duration hangs, Callable<Boolean> condition) throws Exception {
    long begun = System.nanoTime();
    while (!condition.call()) {
      if (System.nanoTime() - begun > hangs.toNanos()) {
        fail("for %d minutes it has not come about that %s".formatted(hangs.toMinutes(), what));
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }
}
