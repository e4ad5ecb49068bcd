package io.github.stablecut.error;

/**
 * Nobody could say in time whether a transaction is committed. It is wholly or not at all. Read to
 * find out, or use a session: it can send the request again, which is executed only if it was not.
 */
public final class OutcomeUnknownException extends StablecutException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public OutcomeUnknownException(String message) {
    super(message, null);
  }
}
