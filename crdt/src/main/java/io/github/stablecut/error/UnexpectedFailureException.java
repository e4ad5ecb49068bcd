package io.github.stablecut.error;

/**
 * Thrown if the store failed unexpectedly: memory was exhausted, or the program has a defect. The
 * request was not executed, and the store continues to work.
 */
public final class UnexpectedFailureException extends RetryException {
  private static final long serialVersionUID = 1L;

  private UnexpectedFailureException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * Wraps a cause.
   *
   * @param what the failed activity, as the beginning of a sentence
   */
  public static UnexpectedFailureException of(String what, Throwable cause) {
    return new UnexpectedFailureException(
        "%s: %s; try again, and if it happens again give the JVM more memory or report the stack trace"
            .formatted(what, cause),
        cause);
  }
}
