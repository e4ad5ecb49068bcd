package io.github.stablecut.crdt;

import java.util.List;
import java.util.Optional;

/**
 * The part of an object that a transaction depends on, because it has read or changed it. Two
 * transactions on one object don't conflict if no effect of one touches a footprint of the other
 * ({@link CrdtType#touches}). A footprint is a predicate that is tested against updates (Jordan,
 * Banerjee and Batman, "Precision Locks", SIGMOD 1981). Immutable.
 */
public sealed interface Footprint {
  /** The whole object. */
  static Footprint whole() {
    return Whole.INSTANCE;
  }

  /** One element of a set, or one counter of a counter map, present or absent. */
  static Footprint element(Bytes element) {
    return new Elements(element, Optional.of(element.successor()));
  }

  /**
   * Converts the footprints on an object in a map to footprints on the map. Without any, the
   * footprint is the object's whole entry.
   */
  static List<Footprint> inside(MapKey<?, ?> place, List<Footprint> footprints) {
    return footprints.isEmpty()
        ? List.of(new Entry(place, whole()))
        : footprints.stream().<Footprint>map(inside -> new Entry(place, inside)).toList();
  }

  /** The approximate size in memory, in bytes. */
  int bytes();

  /**
   * The length in bytes of the longest element, counter name or map key in the footprint; ends of
   * ranges don't count.
   */
  int longestKey();

  /** The whole object. */
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
   * A range of a set's elements or a counter map's counters: the presence and absence of each.
   *
   * @param from the start of the range, inclusive
   * @param until the end of the range, exclusive; empty if unbounded
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
   * @param inside the part of that object; the whole object includes its presence in the map
   */
  record Entry(MapKey<?, ?> place, Footprint inside) implements Footprint {
    /**
     * Whether an effect on an object in the map touches this footprint.
     *
     * @param changed the key of the changed object
     */
    public <E> boolean isTouched(MapKey<?, ?> changed, CrdtType<?, ?, E, ?> type, E effect) {
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
   * @throws FormatException if the bytes are not a valid footprint
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
      default -> throw new FormatException("unknown kind of footprint, expected 0 to 3: " + kind);
    };
  }
}
