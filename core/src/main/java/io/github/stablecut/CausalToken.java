package io.github.stablecut;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import java.nio.ByteBuffer;
import java.util.Base64;

/**
 * A point in a store's history. A commit returns the point at which it is seen; reading at a token
 * shows exactly that point again, and a transaction that begins after a token sees at least as
 * much. Tokens may be kept, sent and parsed again. Immutable.
 *
 * @param storeId the store that it is a point of
 * @param vector the point
 */
public record CausalToken(long storeId, VectorClock vector) {
  private static final byte VERSION = 1;

  /**
   * The token of a text that {@link #toText} gave.
   *
   * @throws InvalidTokenException if it is none
   */
  public static CausalToken parse(String text) {
    try {
      ByteBuffer in = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
      if (in.remaining() % Long.BYTES == 1 && in.remaining() > Long.BYTES && in.get() == VERSION) {
        long storeId = in.getLong();
        long[] entries = new long[in.remaining() / Long.BYTES];
        in.asLongBuffer().get(entries);
        return new CausalToken(storeId, VectorClock.ofEntries(entries));
      }
    } catch (IllegalArgumentException e) {
      throw new InvalidTokenException(
          "not a token: \"" + text + "\": pass on what toText() gave", e);
    }
    throw new InvalidTokenException("not a token: \"" + text + "\": pass on what toText() gave");
  }

  /** The token as 23 letters, digits, hyphens and underscores, more with several data centres. */
  public String toText() {
    ByteBuffer out = ByteBuffer.allocate(1 + Long.BYTES + vector.size() * Long.BYTES);
    out.put(VERSION).putLong(storeId);
    for (int i = 0; i < vector.size(); i++) {
      out.putLong(vector.get(i));
    }
    return Base64.getUrlEncoder().withoutPadding().encodeToString(out.array());
  }

  /** For people: the time of the point. */
  @Override
  public String toString() {
    return "token of " + (vector.max() == 0 ? "the beginning" : Timestamp.format(vector.max()));
  }
}
