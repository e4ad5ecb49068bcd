package io.github.stablecut.internal.stream;

/**
 * Two data centres have received different transactions of a third one after the same one. So that
 * has had two lives: its directory was copied, or put back to an older state, and both went on.
 */
public final class ForkedStreamException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final long after;

  /**
   * @param source the data centre that has committed the transactions
   * @param after a commit time up to which both have the same
   */
  public ForkedStreamException(int source, long after) {
    super("there are different transactions of data centre %d after %d".formatted(source, after));
    this.after = after;
  }

  /** A commit time up to which both have the same. */
  public long after() {
    return after;
  }
}
