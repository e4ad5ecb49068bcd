package io.github.stablecut.examples.bench;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One thread that waits for its record, and a link to the next that waits in the same group. Who
 * syncs marks all of them and wakes the first; each that wakes wakes its successor. So the next
 * sync starts after one wake-up instead of hundreds, and the others happen while it runs.
 */
final class WakeChain {
  private final Thread waiter = Thread.currentThread();
  private volatile boolean done;
  private @Nullable WakeChain next;

  /** Sets who is woken after this one. Before {@link #markDone}. */
  void linkTo(WakeChain successor) {
    next = successor;
  }

  void markDone() {
    done = true;
  }

  void wake() {
    LockSupport.unpark(waiter);
  }

  /** Blocks until the record is durable, and wakes the next. */
  void await() {
    while (!done) {
      LockSupport.park(this);
    }
    WakeChain successor = next;
    if (successor != null) {
      successor.wake();
    }
  }
}
