package io.github.stablecut.error;

/**
 * Thrown if checkpoints can't keep up with writes, or fail: the data in memory without a checkpoint
 * has reached its limit, and the writer has waited for {@code Timeouts.commit}. Nothing was
 * changed.
 */
public final class CheckpointBacklogException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message the size of the backlog, its cause, and what to do
   */
  public CheckpointBacklogException(String message) {
    super(message);
  }
}
