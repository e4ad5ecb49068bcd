package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Polls until an expected condition holds. */
public final class Eventually {
  private static final int PAUSE_MILLIS = 10;

  /** The time after which a condition counts as never met; busy machines are faster than this. */
  private static final Duration TIMEOUT = Duration.ofMinutes(3);

  /** Suppliers of facts for failure messages. */
  private static final Set<Supplier<String>> FACTS = ConcurrentHashMap.newKeySet();

  private Eventually() {}

  /** Registers a supplier of facts for the messages of later failures. */
  static void addFacts(Supplier<String> facts) {
    FACTS.add(facts);
  }

  /** Unregisters a supplier of facts. */
  static void removeFacts(Supplier<String> facts) {
    FACTS.remove(facts);
  }

  /** Waits until a condition is seen to hold. */
  public static void holds(String what, Callable<Boolean> condition) throws Exception {
    holds(what, TIMEOUT, condition);
  }

  /**
   * Waits for a condition that takes minutes on a quiet machine.
   *
   * @param hangs the time after which the condition counts as never met
   */
  static void holds(String what, Duration hangs, Callable<Boolean> condition) throws Exception {
    if (!isSeen(hangs, condition)) {
      StringBuilder message = new StringBuilder();
      message.append(
          "for %d minutes it has not come about that %s".formatted(hangs.toMinutes(), what));
      FACTS.forEach(facts -> message.append(System.lineSeparator()).append(facts.get()));
      fail(message.toString());
    }
  }

  /** Waits at most the given time for a condition, and returns whether it was seen to hold. */
  static boolean isSeen(Duration atMost, Callable<Boolean> condition) throws Exception {
    long startNanos = System.nanoTime();
    while (!condition.call()) {
      if (System.nanoTime() - startNanos > atMost.toNanos()) {
        return false;
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    return true;
  }
}
