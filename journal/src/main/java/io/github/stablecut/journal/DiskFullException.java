package io.github.stablecut.journal;

import io.github.stablecut.error.RetryException;

/** There is not enough room on the disk. Commits work again by themselves once there is. */
public final class DiskFullException extends RetryException {
  private static final long serialVersionUID = 1L;

  /** With what happened. */
  public DiskFullException(String message) {
    super(message);
  }
}
