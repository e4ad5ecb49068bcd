package io.github.stablecut.error;

/** The node of a cluster that owns a partition can't be reached. What was asked was not done. */
public final class PartitionUnavailableException extends RetryException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the partition and its owner, and what to do
   */
  public PartitionUnavailableException(String message) {
    super(message);
  }
}
