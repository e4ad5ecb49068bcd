package io.github.stablecut.cluster.internal.service.handle;

import io.github.stablecut.CausalToken;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.InvalidTokenException;

/** Converts clocks of AntidoteDB's protocol: a clock is the text of a token of the store. */
public final class Clocks {
  private static final int MAX_BYTES = 16 << 10;

  private Clocks() {}

  /** Converts a token to a clock. */
  public static Bytes of(CausalToken token) {
    return Bytes.utf8(token.toText());
  }

  /**
   * Converts a clock to a token.
   *
   * @throws InvalidTokenException if the clock was not issued by such a server
   */
  public static CausalToken parse(Bytes clock) {
    if (clock.length() > MAX_BYTES) {
      throw new InvalidTokenException("not a clock: it has %,d bytes".formatted(clock.length()));
    }
    try {
      return CausalToken.parse(clock.toUtf8());
    } catch (InvalidTokenException e) {
      throw new InvalidTokenException(
          "not a clock: " + clock + ": pass on the clock that a commit returned, or none", e);
    }
  }
}
