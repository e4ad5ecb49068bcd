package io.github.stablecut.error;

/** A store was opened with another number of partitions than it has, which never changes. */
public final class PartitionCountException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public PartitionCountException(String message) {
    super(message);
  }
}
