package io.github.stablecut.error;

/** Thrown if a position of a stream is trimmed. Nothing was changed. */
public final class TrimmedException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message the position, where the stream begins, and what to do
   */
  public TrimmedException(String message) {
    super(message);
  }
}
