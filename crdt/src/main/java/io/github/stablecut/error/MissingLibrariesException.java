package io.github.stablecut.error;

/**
 * Thrown if the class path lacks libraries that a store in this process needs. Nothing was touched.
 */
public final class MissingLibrariesException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is missing, and what to add
   */
  public MissingLibrariesException(String message) {
    super(message);
  }
}
