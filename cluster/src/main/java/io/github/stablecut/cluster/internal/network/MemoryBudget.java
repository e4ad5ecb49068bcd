package io.github.stablecut.cluster.internal.network;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The memory that large requests of all connections share. Who finds it taken waits for a turn, in
 * order; a request larger than all of it has it alone. Thread-safe.
 */
final class MemoryBudget {
  private final long bytes;

  @GuardedBy("this")
  private long taken;

  @GuardedBy("this")
  private final Deque<Waiting> queue = new ArrayDeque<>();

  private record Waiting(long bytes, Runnable granted) {}

  MemoryBudget(long bytes) {
    this.bytes = bytes;
  }

  /**
   * Takes some now, or later.
   *
   * @param granted called later, by whoever gives back, if it can't be taken now
   * @return whether it is taken now
   */
  boolean take(long wanted, Runnable granted) {
    synchronized (this) {
      if (!queue.isEmpty() || !fits(wanted)) {
        queue.add(new Waiting(wanted, granted));
        return false;
      }
      taken += wanted;
      return true;
    }
  }

  @GuardedBy("this")
  private boolean fits(long wanted) {
    return taken == 0 || taken + wanted <= bytes;
  }

  /** Gives back what was taken. */
  void giveBack(long returned) {
    Deque<Runnable> granted = new ArrayDeque<>();
    synchronized (this) {
      taken -= returned;
      while (!queue.isEmpty() && fits(queue.element().bytes)) {
        Waiting next = queue.remove();
        taken += next.bytes;
        granted.add(next.granted);
      }
    }
    granted.forEach(Runnable::run);
  }
}
