package io.github.stablecut;

import io.github.stablecut.error.RetryException;

/**
 * A watch was ended because more changes waited for its user than its buffer takes, or far more for
 * partitions or data centres that are behind.
 */
public final class WatchOverflowException extends RetryException {
  private static final long serialVersionUID = 1L;

  private final transient CausalToken position;

  /**
   * @param message what happened, with the facts, and what to do
   * @param position up to where everything was taken
   */
  public WatchOverflowException(String message, CausalToken position) {
    super(message);
    this.position = position;
  }

  /** The point up to which everything was taken: watch after it. */
  public CausalToken position() {
    return position;
  }
}
