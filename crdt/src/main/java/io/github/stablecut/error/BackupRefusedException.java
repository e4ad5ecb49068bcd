package io.github.stablecut.error;

/** A directory is no finished backup, or not empty where something is to be made. */
public final class BackupRefusedException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public BackupRefusedException(String message) {
    super(message);
  }
}
