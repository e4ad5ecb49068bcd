package io.github.stablecut.internal.recovery;

import io.github.stablecut.error.CorruptStoreException;
import java.util.HexFormat;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The openings of a store's directory, each with the time at which it begins and a random number as
 * its id. A token names the opening that its time belongs to. A store thereby recognizes tokens
 * that refer to commits it never had: those issued by a copy of its directory, or by this store
 * before the directory was restored to an older state. Immutable.
 *
 * <p>Every opening begins above all times that earlier ones may have reported.
 */
public final class Lineage {
  /** The lineage of a store with unknown openings, which accepts all tokens. */
  public static final Lineage UNKNOWN = new Lineage(new TreeMap<>());

  /** The id for times of unknown openings. */
  public static final long NONE = 0;

  /** The number of remembered openings; tokens of earlier ones are accepted. */
  private static final int MAX_OPENINGS = 1_000;

  private static final String PAIR = ":";

  /** The times after which openings begin, ascending. */
  private final long[] begins;

  /** The ids of these openings. */
  private final long[] ids;

  private Lineage(NavigableMap<Long, Long> ascending) {
    this.begins = ascending.keySet().stream().mapToLong(Long::longValue).toArray();
    this.ids = ascending.values().stream().mapToLong(Long::longValue).toArray();
  }

  /** The id of the opening that a time belongs to; {@link #NONE} if it is unknown. */
  public long openingAt(long time) {
    // Nearly all tokens belong to the newest opening.
    int last = begins.length - 1;
    while (last >= 0 && begins[last] >= time) {
      last--;
    }
    return last < 0 ? NONE : ids[last];
  }

  /**
   * Adds an opening.
   *
   * @param begin a time at or above all times reported before it
   * @param number a random id other than {@link #NONE}
   */
  Lineage with(long begin, long number) {
    TreeMap<Long, Long> more = new TreeMap<>();
    for (int i = 0; i < begins.length; i++) {
      more.put(begins[i], ids[i]);
    }
    // An opening that reported no time is dropped.
    more.put(more.isEmpty() ? begin : Math.max(begin, more.lastKey()), number);
    while (more.size() > MAX_OPENINGS) {
      more.pollFirstEntry();
    }
    return new Lineage(more);
  }

  /** Encodes the openings as one word. */
  String toText() {
    StringBuilder text = new StringBuilder();
    HexFormat hex = HexFormat.of();
    for (int i = 0; i < begins.length; i++) {
      text.append(i == 0 ? "" : ",")
          .append(hex.toHexDigits(begins[i]))
          .append(PAIR)
          .append(hex.toHexDigits(ids[i]));
    }
    return text.toString();
  }

  /**
   * Decodes the openings.
   *
   * @param file its name for messages
   */
  static Lineage parse(String text, Object file) {
    TreeMap<Long, Long> openings = new TreeMap<>();
    try {
      for (String opening : text.isEmpty() ? new String[0] : text.split(",", -1)) {
        int middle = opening.indexOf(PAIR);
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
