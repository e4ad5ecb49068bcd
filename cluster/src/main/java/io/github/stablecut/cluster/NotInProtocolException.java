package io.github.stablecut.cluster;

import io.github.stablecut.error.UsageException;

/** A call to a remote store that its protocol can't carry. Nothing was changed. */
public final class NotInProtocolException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what can't be carried, and what to do instead
   */
  public NotInProtocolException(String message) {
    super(message);
  }
}
