package io.github.stablecut.internal.transaction;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;

/** The virtual time of a simulation, and the actions that are due in it. Confined to one thread. */
final class SimulatedTime {
  /** The nanoseconds in a millisecond. */
  static final long MILLI = 1_000_000;

  /** Nothing takes less time. */
  private static final long SHORTEST_NANOS = 50_000;

  private record Event(long atNanos, long order, Runnable action) {}

  private final Random random;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::order));

  private long nowNanos = 1;
  private long order;

  SimulatedTime(Random random) {
    this.random = random;
  }

  /** The present, in nanoseconds. */
  long now() {
    return nowNanos;
  }

  /** A time in the near future, in nanoseconds. */
  long soon(int maxMillis) {
    return nowNanos + SHORTEST_NANOS + (long) random.nextInt(maxMillis * 1_000) * 1_000;
  }

  /** Runs an action at a time. */
  void at(long atNanos, Runnable action) {
    events.add(new Event(atNanos, order++, action));
  }

  /**
   * Advances to a time, running the actions that are due on the way.
   *
   * @param afterEach runs after each of them, and in the end
   */
  void advanceTo(long untilNanos, Runnable afterEach) {
    while (!events.isEmpty() && events.element().atNanos <= untilNanos) {
      Event event = events.remove();
      nowNanos = Math.max(nowNanos, event.atNanos);
      event.action.run();
      afterEach.run();
    }
    nowNanos = Math.max(nowNanos, untilNanos);
    afterEach.run();
  }
}
