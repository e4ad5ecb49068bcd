package io.github.stablecut.internal.replica;

import java.util.Comparator;

/**
 * The end of a log. Of two logs, the one with the later end has every record of either that may be
 * committed. Immutable.
 *
 * <p>The order ignores {@code isShortened}, so it is not consistent with equals.
 *
 * @param epoch of the last header
 * @param next the number after the last record
 * @param isShortened whether the log may have lost records after its end ({@link
 *     ReplicaLog#lossMark})
 */
public record LogEnd(long epoch, long next, boolean isShortened) implements Comparable<LogEnd> {
  /** The end of an empty log, the earliest possible. */
  static final LogEnd EMPTY = new LogEnd(0, 1);

  /** Creates the end of a log that has lost nothing. */
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
