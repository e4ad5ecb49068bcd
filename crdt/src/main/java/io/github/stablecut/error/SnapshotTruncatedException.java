package io.github.stablecut.error;

/** A snapshot is older than the oldest one that is kept. Nothing was changed. */
public final class SnapshotTruncatedException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message both points, and what to do
   */
  public SnapshotTruncatedException(String message) {
    super(message);
  }
}
