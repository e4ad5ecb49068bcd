package io.github.stablecut.crdt.question;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.FormatException;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;

/**
 * The bounds of a page of a set or counter map.
 *
 * @param after the element after which the page begins, exclusive; empty to begin with the first
 *     element in page order
 * @param isDescending whether the page is in descending order
 * @param limit the maximum number of elements, 1 to {@link Question#MAX_ITEMS}
 */
public record PageBounds(Optional<Bytes> after, boolean isDescending, int limit) {
  /** Checks the limit. */
  public PageBounds {
    if (!isValid(limit)) {
      throw new IllegalArgumentException(invalid(limit));
    }
  }

  private static boolean isValid(int limit) {
    return limit >= 1 && limit <= Question.MAX_ITEMS;
  }

  private static String invalid(int limit) {
    return "the limit of a page must be 1 to %,d elements, not %,d"
        .formatted(Question.MAX_ITEMS, limit);
  }

  void write(Encoder out) {
    out.writeByte((after.isPresent() ? 1 : 0) + (isDescending ? 2 : 0));
    after.ifPresent(out::writeBytes);
    out.writeUnsigned(limit);
  }

  static PageBounds read(Decoder in) {
    int flags = in.readByte();
    if (flags > 3) {
      throw new FormatException("the flags of a page must be 0 to 3, not " + flags);
    }
    Optional<Bytes> after = (flags & 1) == 0 ? Optional.empty() : Optional.of(in.readBytes());
    int limit = in.readIndex();
    if (!isValid(limit)) {
      throw new FormatException(invalid(limit));
    }
    return new PageBounds(after, (flags & 2) != 0, limit);
  }

  /** The entries of a map in page order, from the beginning of the page on. */
  <V> NavigableMap<Bytes, V> of(NavigableMap<Bytes, V> all) {
    NavigableMap<Bytes, V> ordered = isDescending ? all.descendingMap() : all;
    return after.map(bound -> ordered.tailMap(bound, false)).orElse(ordered);
  }

  NavigableSet<Bytes> of(NavigableSet<Bytes> all) {
    NavigableSet<Bytes> ordered = isDescending ? all.descendingSet() : all;
    return after.map(bound -> ordered.tailSet(bound, false)).orElse(ordered);
  }

  /**
   * The footprint of a page: the range from its beginning to its last element, or to the end of the
   * object if the page is not full.
   *
   * @param last the page's last element
   */
  Footprint footprint(Optional<Bytes> last, boolean isFull) {
    Optional<Bytes> end = isFull ? last : Optional.empty();
    return isDescending
        ? new Footprint.Elements(end.orElse(Bytes.EMPTY), after)
        : new Footprint.Elements(
            after.map(Bytes::successor).orElse(Bytes.EMPTY), end.map(Bytes::successor));
  }
}
