package io.github.stablecut;

import java.util.Optional;

/**
 * How a transaction begins. Immutable.
 *
 * @param after a point that its snapshot must contain
 */
public record TransactionOptions(Optional<CausalToken> after) {
  private static final TransactionOptions DEFAULTS = new TransactionOptions(Optional.empty());

  /** At the newest snapshot. */
  public static TransactionOptions defaults() {
    return DEFAULTS;
  }

  /**
   * These options with a point that the snapshot must contain: a session that goes on elsewhere
   * sees its own writes.
   */
  public TransactionOptions after(CausalToken token) {
    return new TransactionOptions(Optional.of(token));
  }
}
