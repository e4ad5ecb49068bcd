package io.github.stablecut.tools;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.error.InvalidTokenException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;

/**
 * A moment of a store's past as people name it: a time with its offset, such as {@code
 * 2026-11-22T09:50Z} or {@code 2026-11-22T10:50:00.123+01:00}, milliseconds since 1970, or a token.
 */
public final class PointInTime {
  private PointInTime() {}

  /**
   * The store as it was at a moment.
   *
   * @throws InvalidTokenException if the text names none
   * @throws io.github.stablecut.error.SnapshotTruncatedException if it is not kept any more
   */
  public static Snapshot snapshot(Store store, String text) {
    return isToken(text) ? store.at(CausalToken.parse(text)) : store.at(instant(text));
  }

  /**
   * Checks that a text names a moment of some store.
   *
   * @throws InvalidTokenException if it names none
   */
  public static void check(String text) {
    if (isToken(text)) {
      var unused = CausalToken.parse(text);
    } else {
      var unused = instant(text);
    }
  }

  private static boolean isMillis(String text) {
    return text.matches("[0-9]{1,15}");
  }

  private static boolean isToken(String text) {
    return !isMillis(text) && text.indexOf(':') < 0;
  }

  private static Instant instant(String text) {
    if (isMillis(text)) {
      return Instant.ofEpochMilli(Long.parseLong(text));
    }
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw new InvalidTokenException(
          "a moment is a time such as 2026-11-22T09:50Z, milliseconds since 1970, or a token, not \"%s\""
              .formatted(text),
          e);
    }
  }
}
