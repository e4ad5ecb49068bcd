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
 * @param isOfAnyType whether objects may be written as types that they don't have
 */
public record TransactionOptions(
    Optional<CausalToken> after, Certification certification, boolean isOfAnyType) {
  private static final TransactionOptions DEFAULTS =
      new TransactionOptions(Optional.empty(), Certification.NONE, false);

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
    return new TransactionOptions(Optional.of(token), certification, isOfAnyType);
  }

  /** These options with another certification. */
  public TransactionOptions certify(Certification demanded) {
    return new TransactionOptions(after, demanded, isOfAnyType);
  }

  /**
   * These options for a program that copies objects from elsewhere: they may be written as types
   * that they don't have beside those that they have, as data centres can make them. Without this,
   * it is a mistake of the caller ({@link io.github.stablecut.error.TypeMismatchException}).
   */
  public TransactionOptions ofAnyType() {
    return new TransactionOptions(after, certification, true);
  }
}
