package io.github.stablecut.error;

/** A read had to wait for a transaction whose outcome was not known in time. */
public final class ReadTimeoutException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public ReadTimeoutException(String message) {
    super(message);
  }
}
