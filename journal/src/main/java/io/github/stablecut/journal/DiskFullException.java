package io.github.stablecut.journal;

import io.github.stablecut.error.RetryException;

/** Thrown if the disk has too little free space. Commits succeed again once space is freed. */
public final class DiskFullException extends RetryException {
  private static final long serialVersionUID = 1L;

  /** With a message that states the facts. */
  public DiskFullException(String message) {
    super(message);
  }
}
