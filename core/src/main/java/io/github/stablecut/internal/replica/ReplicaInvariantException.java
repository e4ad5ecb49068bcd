package io.github.stablecut.internal.replica;

/**
 * Thrown if a replica violates an invariant, which is a bug. Its missing data is unknown, so it
 * takes part in nothing, even after it is reopened.
 */
public final class ReplicaInvariantException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong
   */
  public ReplicaInvariantException(String message) {
    super(message);
  }
}
