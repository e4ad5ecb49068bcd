package io.github.stablecut.error;

/**
 * Thrown if a store is opened with a different number of partitions than it has; the number never
 * changes.
 */
public final class PartitionCountException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public PartitionCountException(String message) {
    super(message);
  }
}
