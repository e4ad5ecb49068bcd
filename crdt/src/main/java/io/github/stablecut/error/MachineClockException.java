package io.github.stablecut.error;

/**
 * Thrown if the machine's clock shows a later time than a timestamp can have. Nothing was changed.
 */
public final class MachineClockException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public MachineClockException(String message) {
    super(message);
  }
}
