package io.github.stablecut;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.InvalidTokenException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Base64;

/**
 * A point in a store's history. A commit returns the point at which it is seen; reading at a token
 * shows exactly that point again, and a transaction that begins after a token sees at least as
 * much. Tokens may be kept, sent and parsed again. Immutable.
 *
 * @param storeId the store that it is a point of
 * @param opening which opening of the store its time belongs to, so that the store knows a token
 *     that was told by a copy of it; 0 if that is not known, as it is of stores on several nodes
 * @param vector the point
 */
public record CausalToken(long storeId, long opening, VectorClock vector) {
  /** Without an opening. */
  private static final byte VERSION_1 = 1;

  /** With an opening, which is not 0. */
  private static final byte VERSION_2 = 2;

  /** A token that does not say which opening of the store its time belongs to. */
  public CausalToken(long storeId, VectorClock vector) {
    this(storeId, 0, vector);
  }

  /**
   * The token of a text that {@link #toText} gave.
   *
   * @throws InvalidTokenException if it is none
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
          "not a token: \"" + text + "\": pass on what toText() gave", e);
    }
    throw new InvalidTokenException("not a token: \"" + text + "\": pass on what toText() gave");
  }

  /**
   * The token as up to 34 letters, digits, hyphens and underscores, more with several data centres.
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
   * The wall-clock time of the point, in milliseconds, as the machines that committed had it: of
   * the beginning of a store {@link Instant#EPOCH}. Of two points of one store the later one's time
   * is the same or later.
   */
  public Instant time() {
    return vector.size() == 0 ? Instant.EPOCH : Instant.ofEpochMilli(Timestamp.epochMillis(vector));
  }

  /**
   * The point of the same history at a wall-clock time: with what each data centre had committed
   * until the end of that millisecond, as far as this point has it. This point itself if the time
   * is later.
   */
  public CausalToken noLaterThan(Instant time) {
    long last = Timestamp.lastAt(millis(time));
    long[] entries = new long[vector.size()];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = Math.min(vector.get(i), last);
    }
    VectorClock then = VectorClock.ofEntries(entries);
    return then.equals(vector) ? this : new CausalToken(storeId, then);
  }

  private static long millis(Instant time) {
    try {
      return time.toEpochMilli();
    } catch (ArithmeticException e) {
      return time.getEpochSecond() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  /** For people: the time of the point. */
  @Override
  public String toString() {
    return "token of " + (vector.size() == 0 ? "the beginning" : Timestamp.format(vector));
  }
}
