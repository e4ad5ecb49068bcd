package io.github.stablecut.journal;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The right to flush a journal, held by one thread at a time. The journal's own thread holds it
 * while awake; while that thread sleeps, a caller may hold it for one group. What one holder does
 * happens-before what the next one does. Thread-safe.
 *
 * <p>Until the journal's thread sleeps here for the first time, no caller gets the turn.
 */
final class FlushTurn {
  private enum Holder {
    /** The journal's thread is awake. */
    THREAD,
    /** The journal's thread sleeps, and no caller flushes. */
    NOBODY,
    /** The journal's thread is being woken. */
    WOKEN_THREAD,
    CALLER,
    /** A caller holds it, and the journal's thread waits for its end. */
    AWAITED_CALLER
  }

  private final AtomicReference<Holder> holder = new AtomicReference<>(Holder.THREAD);
  private final BooleanSupplier isIdle;
  private volatile @Nullable Thread thread;

  /**
   * @param isIdle whether there is nothing to flush. Created in advance, so that ending a turn
   *     allocates nothing
   */
  FlushTurn(BooleanSupplier isIdle) {
    this.isIdle = isIdle;
  }

  /**
   * Releases the turn and sleeps until {@link #wake} or the timeout, unless there is work. Holds
   * the turn again when this returns or throws. For the journal's thread.
   */
  void sleep(long nanos) {
    thread = Thread.currentThread();
    holder.set(Holder.NOBODY);
    try {
      // From here on callers can take the turn.
      if (isIdle.getAsBoolean()) {
        LockSupport.parkNanos(this, nanos);
      }
    } finally {
      while (!tryTakeBack()) {
        LockSupport.park(this);
      }
    }
  }

  /** Takes the turn back unless a caller holds it, which then wakes the thread when it ends. */
  private boolean tryTakeBack() {
    while (true) {
      Holder now = holder.get();
      if (now == Holder.AWAITED_CALLER) {
        return false;
      }
      Holder next = now == Holder.CALLER ? Holder.AWAITED_CALLER : Holder.THREAD;
      if (holder.compareAndSet(now, next) && next == Holder.THREAD) {
        return true;
      }
    }
  }

  /**
   * Wakes the thread if it sleeps and no caller holds the turn. A caller checks for more work at
   * its end.
   */
  void wake() {
    if (holder.get() == Holder.NOBODY && holder.compareAndSet(Holder.NOBODY, Holder.WOKEN_THREAD)) {
      LockSupport.unpark(thread);
    }
  }

  /** Whether a caller could take the turn. */
  boolean isFree() {
    return holder.get() == Holder.NOBODY;
  }

  /** Takes the turn for a caller if it is free. The caller then always calls {@link #end}. */
  boolean tryTake() {
    return holder.compareAndSet(Holder.NOBODY, Holder.CALLER);
  }

  /**
   * Ends a caller's turn. Wakes the thread if work has arrived since.
   *
   * @param hasWorkLeft whether the caller leaves work to the thread
   */
  void end(boolean hasWorkLeft) {
    if (hasWorkLeft || !holder.compareAndSet(Holder.CALLER, Holder.NOBODY)) {
      holder.set(Holder.WOKEN_THREAD);
      LockSupport.unpark(thread);
    } else if (!isIdle.getAsBoolean()) {
      wake();
    }
  }
}
