package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.CausalToken;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.InvalidTokenException;

/** Clocks of the protocol: tokens of the store, as the bytes of their texts. */
public final class Clocks {
  private static final int MAX_BYTES = 16 << 10;

  private Clocks() {}

  /** The clock of a token. */
  public static Bytes of(CausalToken token) {
    return Bytes.utf8(token.toText());
  }

  /**
   * The token of a clock.
   *
   * @throws InvalidTokenException if it is none of this kind of server
   */
  public static CausalToken parse(Bytes clock) {
    if (clock.length() > MAX_BYTES) {
      throw new InvalidTokenException("not a clock: it has %,d bytes".formatted(clock.length()));
    }
    try {
      return CausalToken.parse(clock.toUtf8());
    } catch (InvalidTokenException e) {
      throw new InvalidTokenException(
          "not a clock: " + clock + ": pass on what a commit answered, or none", e);
    }
  }
}
