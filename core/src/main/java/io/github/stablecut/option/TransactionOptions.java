package io.github.stablecut.option;

import io.github.stablecut.CausalToken;
import io.github.stablecut.error.ConflictException;
import java.util.Objects;
import java.util.Optional;

/**
 * How a transaction begins and commits. Immutable.
 *
 * @param after a point that its snapshot must contain
 * @param certification what makes its commit throw {@link ConflictException}; by default nothing
 *     but what types demand
 */
public record TransactionOptions(Optional<CausalToken> after, Certification certification) {
  private static final TransactionOptions DEFAULTS =
      new TransactionOptions(Optional.empty(), Certification.NONE);

  /** Checks for nulls. */
  public TransactionOptions {
    Objects.requireNonNull(after, "after");
    Objects.requireNonNull(certification, "certification");
  }

  /** At the newest snapshot, causally consistent. */
  public static TransactionOptions defaults() {
    return DEFAULTS;
  }

  /**
   * These options with a point that the snapshot must contain: a session that goes on elsewhere
   * sees its own writes.
   */
  public TransactionOptions after(CausalToken token) {
    return new TransactionOptions(Optional.of(token), certification);
  }

  /** These options with another certification. */
  public TransactionOptions certify(Certification demanded) {
    return new TransactionOptions(after, demanded);
  }
}
