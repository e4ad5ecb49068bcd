package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.fail;

import java.util.concurrent.Callable;

/** Waits for what comes about by itself. */
final class Eventually {
  private static final int TRIES = 3_000;
  private static final int PAUSE_MILLIS = 10;

  private Eventually() {}

  /** Waits until a condition holds; gives up after half a minute. */
  static void holds(String what, Callable<Boolean> condition) throws Exception {
    for (int i = 0; i < TRIES; i++) {
      if (condition.call()) {
        return;
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    fail("in half a minute it has not come about that " + what);
  }
}
