package io.github.stablecut.error;

/** Something was asked of one node of a cluster that needs what is on others. */
public final class NotOnThisNodeException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public NotOnThisNodeException(String message) {
    super(message);
  }
}
