package io.github.stablecut.internal.transaction;

import io.github.stablecut.internal.transaction.ReplicatedFaults.Kind;
import java.util.EnumMap;
import java.util.Map;

/** The steps in the middle of which simulated nodes crash. Confined to one thread. */
final class CrashPoints {
  /** The kind of message before or after which a node crashes. */
  private final String message;

  private final Map<Kind, Integer> stepsLeft = new EnumMap<>(Kind.class);

  CrashPoints(String message) {
    this.message = message;
  }

  /**
   * Makes a node crash.
   *
   * @param stepsBefore how often the step is still taken without a crash
   */
  void arm(Kind when, int stepsBefore) {
    stepsLeft.put(when, stepsBefore);
  }

  void calm() {
    stepsLeft.clear();
  }

  /** Whether a node crashes at this message. */
  boolean isDue(Kind when, Object sent) {
    return sent.getClass().getSimpleName().equals(message) && isDue(when);
  }

  /** Whether a node that has taken a step crashes there. */
  boolean isDue(Kind when) {
    Integer left = stepsLeft.get(when);
    if (left == null) {
      return false;
    }
    if (left > 0) {
      stepsLeft.put(when, left - 1);
      return false;
    }
    stepsLeft.remove(when);
    return true;
  }
}
