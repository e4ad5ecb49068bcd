package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Waits for what comes about by itself: looks until it is there. */
public final class Eventually {
  private static final int PAUSE_MILLIS = 10;

  /** What is not there by then never will be; a machine that is busy gets there before. */
  private static final Duration HANGS = Duration.ofMinutes(3);

  /** What a failure is told with. */
  private static final Set<Supplier<String>> FACTS = ConcurrentHashMap.newKeySet();

  private Eventually() {}

  /** From now on whatever does not come about is told with what this says then. */
  static void tell(Supplier<String> facts) {
    boolean unused = FACTS.add(facts);
  }

  /** Is not asked any more. */
  static void tellNoMore(Supplier<String> facts) {
    boolean unused = FACTS.remove(facts);
  }

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
    if (!isSeen(hangs, condition)) {
      StringBuilder told = new StringBuilder();
      told.append(
          "for %d minutes it has not come about that %s".formatted(hangs.toMinutes(), what));
      FACTS.forEach(facts -> told.append(System.lineSeparator()).append(facts.get()));
      fail(told.toString());
    }
  }

  /** Waits until a condition is seen to hold, so long at most; returns whether it was. */
  static boolean isSeen(Duration atMost, Callable<Boolean> condition) throws Exception {
    long begun = System.nanoTime();
    while (!condition.call()) {
      if (System.nanoTime() - begun > atMost.toNanos()) {
        return false;
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    return true;
  }
}
