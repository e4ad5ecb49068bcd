package io.github.stablecut.internal.copies;

import java.util.Comparator;

/**
 * Where a log ends: of two logs that with the later end has all that may be committed of both.
 * Immutable.
 *
 * @param epoch of the last header
 * @param next the number behind the last record
 */
public record LogEnd(long epoch, long next) implements Comparable<LogEnd> {
  /** That of an empty log: no other one ends before. */
  static final LogEnd NOTHING = new LogEnd(0, 1);

  private static final Comparator<LogEnd> ORDER =
      Comparator.comparingLong(LogEnd::epoch).thenComparingLong(LogEnd::next);

  @Override
  public int compareTo(LogEnd other) {
    return ORDER.compare(this, other);
  }
}
