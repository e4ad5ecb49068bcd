package io.github.stablecut.journal;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The right to flush a journal, which one thread has at a time: the journal's own while it is
 * awake, or a caller's for one group while that one sleeps. What its holder does happens before
 * what the next one does. Thread-safe.
 *
 * <p>As long as no thread has ever slept here the right is not given to anybody.
 */
final class FlushTurn {
  private enum Holder {
    /** The journal's thread, which is awake. */
    THREAD,
    /** Nobody: the thread sleeps. */
    NOBODY,
    /** The thread, which is being woken. */
    WOKEN_THREAD,
    CALLER,
    /** A caller, for whose end the thread waits. */
    AWAITED_CALLER
  }

  private final AtomicReference<Holder> holder = new AtomicReference<>(Holder.THREAD);
  private final BooleanSupplier isIdle;
  private volatile @Nullable Thread thread;

  /**
   * @param isIdle whether there is nothing to do. Made before it is needed: giving the turn back
   *     takes no memory
   */
  FlushTurn(BooleanSupplier isIdle) {
    this.isIdle = isIdle;
  }

  /**
   * Gives the turn away, and sleeps until {@link #wake} or the end of the time, unless there is
   * something to do; has the turn again when this returns or throws. For the journal's thread.
   */
  void sleep(long nanos) {
    thread = Thread.currentThread();
    holder.set(Holder.NOBODY);
    try {
      // Callers may take the turn already.
      if (isIdle.getAsBoolean()) {
        LockSupport.parkNanos(this, nanos);
      }
    } finally {
      while (!isTakenBack()) {
        LockSupport.park(this);
      }
    }
  }

  /** Whether the thread has the turn again; if not, the caller who has it will wake the thread. */
  private boolean isTakenBack() {
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

  /** Wakes the thread if it sleeps and no caller has the turn, who looks for more at the end. */
  void wake() {
    if (holder.get() == Holder.NOBODY && holder.compareAndSet(Holder.NOBODY, Holder.WOKEN_THREAD)) {
      LockSupport.unpark(thread);
    }
  }

  /** Whether a caller could take it. */
  boolean isFree() {
    return holder.get() == Holder.NOBODY;
  }

  /** Takes the turn for a caller, if nobody has it, who calls {@link #end} whatever happens. */
  boolean take() {
    return holder.compareAndSet(Holder.NOBODY, Holder.CALLER);
  }

  /**
   * Ends the turn of a caller. Wakes the thread if something has come meanwhile.
   *
   * @param isLeft whether the caller leaves something to do to the thread
   */
  void end(boolean isLeft) {
    if (isLeft || !holder.compareAndSet(Holder.CALLER, Holder.NOBODY)) {
      holder.set(Holder.WOKEN_THREAD);
      LockSupport.unpark(thread);
    } else if (!isIdle.getAsBoolean()) {
      wake();
    }
  }
}
