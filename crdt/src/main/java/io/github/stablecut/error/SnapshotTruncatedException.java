package io.github.stablecut.error;

/**
 * Thrown if a snapshot is below the low watermark, the oldest readable one. Nothing was changed.
 */
public final class SnapshotTruncatedException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message both points, and what to do
   */
  public SnapshotTruncatedException(String message) {
    super(message);
  }
}
