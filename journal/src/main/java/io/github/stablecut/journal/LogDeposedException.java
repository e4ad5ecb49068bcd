package io.github.stablecut.journal;

/**
 * Thrown if another replica of the log has become the leader, or no majority responds. This log is
 * intact, but makes nothing more durable. Thrown by {@link LogReplicas#await}.
 */
public final class LogDeposedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** With the facts. */
  public LogDeposedException(String message) {
    super(message);
  }
}
