package io.github.stablecut.option;

import io.github.stablecut.CausalToken;
import io.github.stablecut.error.ConflictException;
import java.util.Objects;
import java.util.Optional;

/**
 * The options for the beginning and the commit of a transaction. Immutable.
 *
 * @param after a point that its snapshot must contain
 * @param certification which concurrent commits make its commit throw {@link ConflictException}; by
 *     default none, except as the rules of types require
 * @param allowsOtherTypes whether the transaction may write objects as types that they do not have
 */
public record TransactionOptions(
    Optional<CausalToken> after, Certification certification, boolean allowsOtherTypes) {
  private static final TransactionOptions DEFAULTS =
      new TransactionOptions(Optional.empty(), Certification.NONE, false);

  /** Checks for nulls. */
  public TransactionOptions {
    Objects.requireNonNull(after, "after");
    Objects.requireNonNull(certification, "certification");
  }

  /** The default: the newest snapshot, causally consistent. */
  public static TransactionOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Sets a point that the snapshot must contain, so that a client that continues elsewhere sees its
   * own writes.
   */
  public TransactionOptions after(CausalToken token) {
    return new TransactionOptions(Optional.of(token), certification, allowsOtherTypes);
  }

  /** Sets the certification. */
  public TransactionOptions certify(Certification newCertification) {
    return new TransactionOptions(after, newCertification, allowsOtherTypes);
  }

  /**
   * Allows writing objects as types that they do not have, in addition to those that they have.
   * Programs that copy objects from elsewhere need this, because concurrent data centres can create
   * such objects. Otherwise, such a write throws {@link
   * io.github.stablecut.error.TypeMismatchException}.
   */
  public TransactionOptions allowOtherTypes() {
    return new TransactionOptions(after, certification, true);
  }
}
