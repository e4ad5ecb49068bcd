package io.github.stablecut.error;

/** Thrown if a read waited for a transaction whose outcome did not become known in time. */
public final class ReadTimeoutException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public ReadTimeoutException(String message) {
    super(message);
  }
}
