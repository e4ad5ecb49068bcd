package io.github.stablecut.error;

/** Thrown if a file of a store is damaged or missing. Nothing was changed. */
public final class CorruptStoreException extends DamageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public CorruptStoreException(String message) {
    super(message);
  }

  /**
   * @param message what happened, with the facts, and what to do
   * @param cause the cause
   */
  public CorruptStoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
