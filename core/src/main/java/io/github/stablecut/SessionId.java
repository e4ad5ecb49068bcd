package io.github.stablecut;

import java.time.Instant;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The name of a session: when it was opened, and a random number. Immutable.
 *
 * @param openedMillis milliseconds since 1970
 * @param random tells sessions of one millisecond apart
 */
public record SessionId(long openedMillis, long random) {
  private static final int DIGITS = 16;

  /** A new name. */
  public static SessionId create(Instant opened) {
    return new SessionId(opened.toEpochMilli(), ThreadLocalRandom.current().nextLong());
  }

  /**
   * The name that {@link #toString} wrote.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static SessionId parse(String text) {
    if (text.length() != 2 * DIGITS + 1 || text.charAt(DIGITS) != '-') {
      throw new IllegalArgumentException(
          "a session's name is 16 hexadecimal digits, a hyphen and 16 more, not " + text);
    }
    return new SessionId(
        HexFormat.fromHexDigitsToLong(text, 0, DIGITS),
        HexFormat.fromHexDigitsToLong(text, DIGITS + 1, text.length()));
  }

  @Override
  public String toString() {
    return "%016x-%016x".formatted(openedMillis, random);
  }
}
