package io.github.stablecut.internal.replica;

/**
 * A copy is not what it should be, which is an error of the program: nobody knows what it lacks, so
 * it takes part in nothing, also when it is opened again.
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
