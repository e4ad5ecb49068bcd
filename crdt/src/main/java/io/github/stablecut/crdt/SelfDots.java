package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;

/**
 * The own events of one open transaction, handed out in order. Confined to the transaction's
 * thread.
 */
public final class SelfDots {
  private int next;

  /** The events of a transaction that has not had any. */
  public SelfDots() {}

  /**
   * The further events of a transaction.
   *
   * @param taken how many it has had
   */
  public SelfDots(int taken) {
    this.next = taken;
  }

  /** How many events were handed out. */
  public int taken() {
    return next;
  }

  /** The next event. */
  public Dot take() {
    return take(1);
  }

  /** The first of the next {@code count} events; the others follow it by {@link Dot#plus}. */
  public Dot take(int count) {
    Dot first = Dot.self(next);
    next = Math.addExact(next, count);
    return first;
  }
}
