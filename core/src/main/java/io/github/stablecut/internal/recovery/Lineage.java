package io.github.stablecut.internal.recovery;

import io.github.stablecut.error.CorruptStoreException;
import java.util.HexFormat;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The openings that a store's directory has seen: from which time on each has told times, and a
 * random number that it is known by. A token says which opening its time belongs to. So a store
 * knows tokens that were told by a copy of its directory, or by itself before the directory was put
 * back to an older state: they stand for something that it never had. Immutable.
 *
 * <p>Every opening begins above all times that the journals of earlier ones allowed to be told.
 */
public final class Lineage {
  /** Of a store about whose openings nothing is known: it can't tell tokens apart. */
  public static final Lineage UNKNOWN = new Lineage(new TreeMap<>());

  /** What a time belongs to that no known opening has told. */
  public static final long NONE = 0;

  /** So many openings are remembered; tokens of earlier ones are believed. */
  private static final int MAX_OPENINGS = 1_000;

  private static final String PAIR = ":";

  /** The times that openings begin after, ascending. */
  private final long[] begins;

  /** What each of them is known by. */
  private final long[] numbers;

  private Lineage(NavigableMap<Long, Long> ascending) {
    this.begins = ascending.keySet().stream().mapToLong(Long::longValue).toArray();
    this.numbers = ascending.values().stream().mapToLong(Long::longValue).toArray();
  }

  /** The number of the opening that a time belongs to; {@link #NONE} if that is not known. */
  public long openingAt(long time) {
    // Tokens are of the newest opening, but for a few that were kept for long.
    int last = begins.length - 1;
    while (last >= 0 && begins[last] >= time) {
      last--;
    }
    return last < 0 ? NONE : numbers[last];
  }

  /**
   * With one more opening.
   *
   * @param begin at or above all times that were told before it
   * @param number random, and not {@link #NONE}
   */
  Lineage with(long begin, long number) {
    TreeMap<Long, Long> more = new TreeMap<>();
    for (int i = 0; i < begins.length; i++) {
      more.put(begins[i], numbers[i]);
    }
    // An opening that told no time of its own is as if it had not been.
    more.put(more.isEmpty() ? begin : Math.max(begin, more.lastKey()), number);
    while (more.size() > MAX_OPENINGS) {
      var unused = more.pollFirstEntry();
    }
    return new Lineage(more);
  }

  /** The openings as one word. */
  String toText() {
    StringBuilder text = new StringBuilder();
    HexFormat hex = HexFormat.of();
    for (int i = 0; i < begins.length; i++) {
      text.append(i == 0 ? "" : ",")
          .append(hex.toHexDigits(begins[i]))
          .append(PAIR)
          .append(hex.toHexDigits(numbers[i]));
    }
    return text.toString();
  }

  /**
   * The openings that a word stands for.
   *
   * @param file its name for messages
   */
  static Lineage parse(String text, Object file) {
    TreeMap<Long, Long> openings = new TreeMap<>();
    try {
      for (String opening : text.isEmpty() ? new String[0] : text.split(",", -1)) {
        int middle = opening.indexOf(PAIR);
        var unused =
            openings.put(
                HexFormat.fromHexDigitsToLong(opening.substring(0, Math.max(0, middle))),
                HexFormat.fromHexDigitsToLong(opening.substring(middle + 1)));
      }
    } catch (IllegalArgumentException e) {
      throw new CorruptStoreException(file + " is malformed: restore it from a backup", e);
    }
    return new Lineage(openings);
  }
}
