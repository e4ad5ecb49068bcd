package io.github.stablecut.crdt;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.Dot;

/** Issues the self dots of one open transaction in order. Confined to the transaction's thread. */
public final class SelfDots {
  private int next;

  /** Begins with the first dot. */
  public SelfDots() {}

  /**
   * Continues after dots already issued.
   *
   * @param taken the number of dots issued
   */
  public SelfDots(int taken) {
    this.next = taken;
  }

  /** The number of dots issued. */
  public int taken() {
    return next;
  }

  /** Issues the next dot. */
  public Dot take() {
    return take(1);
  }

  /**
   * Issues the next {@code count} dots and returns the first; {@link Dot#plus} yields the others.
   */
  @CanIgnoreReturnValue
  public Dot take(int count) {
    Dot first = Dot.self(next);
    next = Math.addExact(next, count);
    return first;
  }
}
