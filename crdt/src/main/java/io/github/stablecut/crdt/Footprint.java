package io.github.stablecut.crdt;

import java.util.List;
import java.util.Optional;

/**
 * The part of an object that a transaction depends on, because it has read or changed it. Two
 * transactions on one object need not conflict if no effect of one touches a footprint of the other
 * ({@link CrdtType#touches}). So a footprint is a predicate that is tested against updates (Jordan,
 * Banerjee and Batman, "Precision Locks", SIGMOD 1981). Immutable.
 */
public sealed interface Footprint {
  /** The whole object. */
  static Footprint whole() {
    return Whole.INSTANCE;
  }

  /** One element of a set, or counter of a counter map, whether it is there or not. */
  static Footprint element(Bytes element) {
    return new Elements(element, Optional.of(element.successor()));
  }

  /**
   * Footprints on an object in a map, as those on the map. If there are none, it is that the object
   * is there.
   */
  static List<Footprint> inside(MapKey<?, ?> place, List<Footprint> footprints) {
    return footprints.isEmpty()
        ? List.of(new Entry(place, whole()))
        : footprints.stream().<Footprint>map(inside -> new Entry(place, inside)).toList();
  }

  /** The approximate memory of this. */
  int bytes();

  /** The bytes of the longest element, name of a counter, or name in a map that it begins with. */
  int longestKey();

  /** All of it. */
  record Whole() implements Footprint {
    private static final Whole INSTANCE = new Whole();

    @Override
    public int bytes() {
      return 1;
    }

    @Override
    public int longestKey() {
      return 0;
    }
  }

  /**
   * The elements of a set, or the counters of a counter map, in a range: those that are there, and
   * the absence of the others.
   *
   * @param from the first one
   * @param until the first one after the range; empty if the range has no end
   */
  record Elements(Bytes from, Optional<Bytes> until) implements Footprint {
    /** Whether an element is in the range. */
    public boolean contains(Bytes element) {
      return from.compareTo(element) <= 0
          && until.map(end -> element.compareTo(end) < 0).orElse(true);
    }

    @Override
    public int bytes() {
      return 1 + from.length() + until.map(Bytes::length).orElse(0);
    }

    @Override
    public int longestKey() {
      return from.length();
    }
  }

  /**
   * A part of an object in a map.
   *
   * @param inside the part of that object; the whole of it includes whether it is there
   */
  record Entry(MapKey<?, ?> place, Footprint inside) implements Footprint {
    /**
     * Whether an effect on an object in the map touches this.
     *
     * @param changed the place of that object
     */
    <E> boolean isTouched(MapKey<?, ?> changed, CrdtType<?, ?, E, ?> type, E effect) {
      return place.equals(changed) && (inside instanceof Whole || type.touches(effect, inside));
    }

    @Override
    public int bytes() {
      return 1 + place.key().length() + inside.bytes();
    }

    @Override
    public int longestKey() {
      return Math.max(place.key().length(), inside.longestKey());
    }
  }

  /** Writes a footprint. */
  default void write(Encoder out) {
    if (this instanceof Elements elements) {
      out.writeByte(elements.until.isPresent() ? 2 : 1);
      out.writeBytes(elements.from);
      elements.until.ifPresent(out::writeBytes);
    } else if (this instanceof Entry entry) {
      out.writeByte(3);
      entry.place.write(out);
      out.enter();
      entry.inside.write(out);
      out.exit();
    } else {
      out.writeByte(0);
    }
  }

  /**
   * Reads a footprint.
   *
   * @throws FormatException if the bytes are not those of one
   */
  static Footprint read(Decoder in) {
    int kind = in.readByte();
    return switch (kind) {
      case 0 -> whole();
      case 1 -> new Elements(in.readBytes(), Optional.empty());
      case 2 -> new Elements(in.readBytes(), Optional.of(in.readBytes()));
      case 3 -> {
        MapKey<?, ?> place = MapKey.read(in);
        in.enter();
        Footprint inside = read(in);
        in.exit();
        yield new Entry(place, inside);
      }
      default -> throw new FormatException("a footprint is of kind 0 to 3, not " + kind);
    };
  }
}
