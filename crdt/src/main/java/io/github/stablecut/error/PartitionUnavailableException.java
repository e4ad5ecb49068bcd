package io.github.stablecut.error;

/** Thrown if the node of a cluster that owns a partition can't be reached. Nothing was changed. */
public final class PartitionUnavailableException extends UnavailableException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the partition and its owner, and what to do
   */
  public PartitionUnavailableException(String message) {
    super(message, null);
  }

  /**
   * @param message what happened, with the partition and its owner, and what to do
   * @param cause the cause
   */
  public PartitionUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
