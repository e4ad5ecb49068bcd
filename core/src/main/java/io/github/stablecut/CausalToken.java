package io.github.stablecut;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.InvalidTokenException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Base64;

/**
 * A point in a store's history. A commit returns a token whose snapshot contains it. Reading at a
 * token always returns the same state, and a transaction that begins after a token sees at least
 * that state. Tokens can be stored, sent, and parsed again. Immutable.
 *
 * @param storeId the id of the store whose history it belongs to
 * @param opening the opening of the store that issued the token, by which the store recognizes
 *     tokens that a clone of its directory issued; 0 if unknown, as for stores on several nodes
 * @param vector the point
 */
public record CausalToken(long storeId, long opening, VectorClock vector) {
  /** The format without an opening. */
  private static final byte VERSION_1 = 1;

  /** The format with an opening, which is not 0. */
  private static final byte VERSION_2 = 2;

  /** Creates a token whose opening is unknown. */
  public CausalToken(long storeId, VectorClock vector) {
    this(storeId, 0, vector);
  }

  /**
   * Parses the text that {@link #toText} returned.
   *
   * @throws InvalidTokenException if the text is not a token
   */
  public static CausalToken parse(String text) {
    try {
      ByteBuffer in = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
      byte version = in.hasRemaining() ? in.get() : 0;
      int numbers = version == VERSION_1 ? 1 : 2;
      if ((version == VERSION_1 || version == VERSION_2)
          && in.remaining() % Long.BYTES == 0
          && in.remaining() >= numbers * Long.BYTES) {
        long storeId = in.getLong();
        long opening = version == VERSION_1 ? 0 : in.getLong();
        long[] entries = new long[in.remaining() / Long.BYTES];
        in.asLongBuffer().get(entries);
        return new CausalToken(storeId, opening, VectorClock.ofEntries(entries));
      }
    } catch (IllegalArgumentException e) {
      throw new InvalidTokenException(
          "not a token: \"" + text + "\": pass the text that toText() returned", e);
    }
    throw new InvalidTokenException(
        "not a token: \"" + text + "\": pass the text that toText() returned");
  }

  /**
   * Encodes the token as URL-safe Base64: up to 34 letters, digits, hyphens and underscores; more
   * with several data centres.
   */
  public String toText() {
    ByteBuffer out =
        ByteBuffer.allocate(1 + (opening == 0 ? 1 : 2) * Long.BYTES + vector.size() * Long.BYTES);
    out.put(opening == 0 ? VERSION_1 : VERSION_2).putLong(storeId);
    if (opening != 0) {
      out.putLong(opening);
    }
    for (int i = 0; i < vector.size(); i++) {
      out.putLong(vector.get(i));
    }
    return Base64.getUrlEncoder().withoutPadding().encodeToString(out.array());
  }

  /**
   * The wall-clock time of the point, to the millisecond, by the clocks of the machines that
   * committed; {@link Instant#EPOCH} for the beginning of a store. Of two points of one store, the
   * later one's time is the same or later.
   */
  public Instant time() {
    return vector.size() == 0 ? Instant.EPOCH : Instant.ofEpochMilli(Timestamp.epochMillis(vector));
  }

  /**
   * The point of the same history at a wall-clock time: everything that each data centre had
   * committed by the end of that millisecond, as far as this point contains it. Returns this point
   * if the time is later.
   */
  public CausalToken noLaterThan(Instant time) {
    long last = Timestamp.lastAt(millis(time));
    long[] entries = new long[vector.size()];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = Math.min(vector.get(i), last);
    }
    VectorClock clipped = VectorClock.ofEntries(entries);
    return clipped.equals(vector) ? this : new CausalToken(storeId, clipped);
  }

  private static long millis(Instant time) {
    try {
      return time.toEpochMilli();
    } catch (ArithmeticException e) {
      return time.getEpochSecond() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  /** The time of the point, for messages. */
  @Override
  public String toString() {
    return "token of " + (vector.size() == 0 ? "the beginning" : Timestamp.format(vector));
  }
}
