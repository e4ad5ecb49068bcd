package io.github.stablecut.error;

/**
 * The objects of a conditional write belong to several partitions, which have no common order. Give
 * their keys the same part in braces, as {@code order:{42}} and {@code stock:{42}}.
 */
public final class SeveralPartitionsException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public SeveralPartitionsException(String message) {
    super(message);
  }
}
