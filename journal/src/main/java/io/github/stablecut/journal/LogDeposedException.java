package io.github.stablecut.journal;

/**
 * Another copy of the log leads by now, or no majority answers: nothing is wrong with this one, and
 * nothing more becomes durable by it. Thrown by {@link LogReplicas#await}.
 */
public final class LogDeposedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** With the facts. */
  public LogDeposedException(String message) {
    super(message);
  }
}
