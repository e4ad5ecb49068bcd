package io.github.stablecut.examples.bench.commit;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that waits for its record, with a link to the next waiter of the same group. The syncing
 * thread marks all as done and wakes only the first; each waiter wakes its successor. So the next
 * sync starts after one wake-up instead of hundreds, and the others happen during the sync.
 */
final class WakeChain {
  private final Thread waiter = Thread.currentThread();
  private volatile boolean done;
  private @Nullable WakeChain next;

  /** Sets the successor. To be called before {@link #markDone}. */
  void linkTo(WakeChain successor) {
    next = successor;
  }

  void markDone() {
    done = true;
  }

  void wake() {
    LockSupport.unpark(waiter);
  }

  /** Blocks until the record is durable, and wakes the successor. */
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
