package io.github.stablecut.internal.replica;

import java.util.Comparator;

/**
 * Where a log ends: of two logs that with the later end has all that may be committed of both.
 * Immutable.
 *
 * <p>The order says nothing of whether a log is shortened, which equality does.
 *
 * @param epoch of the last header
 * @param next the number behind the last record
 * @param isShortened whether the log may have lost records behind its end ({@link
 *     ReplicaLog#shortened})
 */
public record LogEnd(long epoch, long next, boolean isShortened) implements Comparable<LogEnd> {
  /** That of an empty log: no other one ends before. */
  static final LogEnd NOTHING = new LogEnd(0, 1);

  /** The end of a log that has lost nothing. */
  public LogEnd(long epoch, long next) {
    this(epoch, next, false);
  }

  private static final Comparator<LogEnd> ORDER =
      Comparator.comparingLong(LogEnd::epoch).thenComparingLong(LogEnd::next);

  @Override
  public int compareTo(LogEnd other) {
    return ORDER.compare(this, other);
  }
}
