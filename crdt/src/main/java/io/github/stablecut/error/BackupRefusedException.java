package io.github.stablecut.error;

/** Thrown if a directory is not a complete backup, or not empty where files are to be created. */
public final class BackupRefusedException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public BackupRefusedException(String message) {
    super(message);
  }
}
