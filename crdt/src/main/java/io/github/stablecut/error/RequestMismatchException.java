package io.github.stablecut.error;

/**
 * A session's request was repeated with other updates than the first time: they were not executed.
 */
public final class RequestMismatchException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public RequestMismatchException(String message) {
    super(message);
  }
}
