package io.github.stablecut.internal.stream;

/**
 * Thrown if two data centres have received different transactions of a third one after the same
 * transaction. So two instances of that data centre have diverged: its directory was copied or
 * restored to an older state, and both continued.
 */
public final class ForkedStreamException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final long after;

  /**
   * @param source the data centre that committed the transactions
   * @param after a commit time up to which both have the same transactions
   */
  public ForkedStreamException(int source, long after) {
    super(
        "data centres have received different transactions of data centre %d after %d"
            .formatted(source, after));
    this.after = after;
  }

  /** A commit time up to which both have the same transactions. */
  public long after() {
    return after;
  }
}
