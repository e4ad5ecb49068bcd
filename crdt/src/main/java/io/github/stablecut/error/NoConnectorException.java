package io.github.stablecut.error;

/** Thrown if no library on the class path supports a URI. */
public final class NoConnectorException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message the URI, and what to do
   */
  public NoConnectorException(String message) {
    super(message);
  }
}
