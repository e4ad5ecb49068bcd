package io.github.stablecut.internal.partition.commit;

/**
 * Signals that a part can't commit or prepare yet, as it writes an object that a prepared
 * transaction has certified ({@link CommitWaiters}). Never leaves the package.
 */
public final class CommitBlockedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  CommitBlockedException() {
    super("held back by a certified transaction", null, false, false);
  }
}
