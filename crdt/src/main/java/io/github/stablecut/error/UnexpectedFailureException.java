package io.github.stablecut.error;

/**
 * A part of the store failed with something that is nobody's call: there was no memory, or the
 * program has a defect. What was asked for was not done, and the store goes on.
 */
public final class UnexpectedFailureException extends RetryException {
  private static final long serialVersionUID = 1L;

  private UnexpectedFailureException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * The exception for a cause.
   *
   * @param what what could not be done, as the beginning of a sentence
   */
  public static UnexpectedFailureException of(String what, Throwable cause) {
    return new UnexpectedFailureException(
        "%s: %s; try again, and if it happens again give the JVM more memory or report the stack trace"
            .formatted(what, cause),
        cause);
  }
}
