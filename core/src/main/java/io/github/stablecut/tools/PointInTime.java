package io.github.stablecut.tools;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.error.InvalidTokenException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.function.Function;

/**
 * A point in a store's past in the formats of the command line: a time with its offset, such as
 * {@code 2026-11-22T09:50Z} or {@code 2026-11-22T10:50:00.123+01:00}; milliseconds since 1970; or a
 * token.
 */
public final class PointInTime {
  private PointInTime() {}

  /**
   * The store as of a point.
   *
   * @throws InvalidTokenException if the text has none of the formats
   * @throws io.github.stablecut.error.SnapshotTruncatedException if the point is no longer retained
   */
  public static Snapshot snapshot(Store store, String text) {
    return parse(text).apply(store);
  }

  /**
   * Checks that a text has one of the formats.
   *
   * @throws InvalidTokenException if it has none
   */
  public static void check(String text) {
    parse(text);
  }

  @CanIgnoreReturnValue
  private static Function<Store, Snapshot> parse(String text) {
    if (isToken(text)) {
      CausalToken token = CausalToken.parse(text);
      return store -> store.at(token);
    }
    Instant time = instant(text);
    return store -> store.at(time);
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
          "\"%s\" is not a point in time: use a time such as 2026-11-22T09:50Z, milliseconds since 1970, or a token"
              .formatted(text),
          e);
    }
  }
}
