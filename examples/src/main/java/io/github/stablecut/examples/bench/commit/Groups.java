package io.github.stablecut.examples.bench.commit;

import java.util.List;
import java.util.function.Function;

/** Wakes the threads that wait for a synced group. */
final class Groups {
  private Groups() {}

  static void release(List<WakeChain> group) {
    release(group, waiter -> waiter);
  }

  /** Marks all waiters as done and wakes the first. */
  static <T> void release(List<T> group, Function<T, WakeChain> waiterOf) {
    WakeChain first = waiterOf.apply(group.get(0));
    WakeChain previous = first;
    for (int i = 1; i < group.size(); i++) {
      WakeChain waiter = waiterOf.apply(group.get(i));
      previous.linkTo(waiter);
      previous.markDone();
      previous = waiter;
    }
    previous.markDone();
    first.wake();
  }
}
