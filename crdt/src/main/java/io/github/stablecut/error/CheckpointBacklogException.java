package io.github.stablecut.error;

/**
 * Checkpoints can't keep up with what is written, or fail: memory has as much that no checkpoint
 * has as it may, and the writer has waited for {@code Timeouts.commit}. Nothing was changed.
 */
public final class CheckpointBacklogException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message how much there is, why, and what to do
   */
  public CheckpointBacklogException(String message) {
    super(message);
  }
}
