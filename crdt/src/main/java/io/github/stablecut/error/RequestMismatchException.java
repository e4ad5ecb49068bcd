package io.github.stablecut.error;

/** Thrown if a session repeats a request with different updates, which were not executed. */
public final class RequestMismatchException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public RequestMismatchException(String message) {
    super(message);
  }
}
