package io.github.stablecut;

import io.github.stablecut.error.RetryException;

/**
 * Thrown if a watch ended because its subscriber is too slow: more changes waited than the buffer
 * holds, or far more while partitions or data centres lagged behind.
 */
public final class WatchOverflowException extends RetryException {
  private static final long serialVersionUID = 1L;

  private final transient CausalToken position;

  /**
   * @param message what happened, with the facts, and what to do
   * @param position the point up to which all changes were delivered
   */
  public WatchOverflowException(String message, CausalToken position) {
    super(message);
    this.position = position;
  }

  /** The point up to which all changes were delivered: continue with a watch after it. */
  public CausalToken position() {
    return position;
  }
}
