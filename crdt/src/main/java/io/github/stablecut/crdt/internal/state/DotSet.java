package io.github.stablecut.crdt.internal.state;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.internal.tree.PersistentArrays;
import io.github.stablecut.crdt.internal.tree.PersistentMap;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;

/**
 * A small set of dots in ascending order. Immutable. It nearly always has one element: a concurrent
 * operation adds a second, and the next operation that observes both replaces them with one. A set
 * of one takes as much memory as the dot alone.
 */
public abstract sealed class DotSet implements Iterable<Dot> {
  /** The only empty set. */
  public static final DotSet EMPTY = new Several();

  private static final int MIN_DOT_BYTES = 2;

  private DotSet() {}

  static DotSet of(Dot dot) {
    return new One(dot.dataCentre(), dot.time(), dot.index());
  }

  /** The keys of a map. */
  static DotSet of(PersistentMap<Dot, ?> byDot) {
    Dot[] dots = new Dot[byDot.size()];
    int count = 0;
    for (var event : byDot) {
      dots[count++] = event.getKey();
    }
    return ofAscending(dots);
  }

  /** Wraps the array; the caller must not modify it afterwards. */
  private static DotSet ofAscending(Dot... dots) {
    return switch (dots.length) {
      case 0 -> EMPTY;
      case 1 -> of(dots[0]);
      default -> new Several(dots);
    };
  }

  /** One dot. */
  private static final class One extends DotSet {
    private final int dataCentre;
    private final int index;
    private final long time;

    One(int dataCentre, long time, int index) {
      this.dataCentre = dataCentre;
      this.time = time;
      this.index = index;
    }

    private Dot dot() {
      return new Dot(dataCentre, time, index);
    }

    @Override
    public int size() {
      return 1;
    }

    @Override
    Dot get(int index) {
      return dot();
    }

    @Override
    int indexOf(Dot dot) {
      int order = dot().compareTo(dot);
      return order == 0 ? 0 : order < 0 ? -2 : -1;
    }
  }

  /** No dots, or at least two. */
  private static final class Several extends DotSet {
    private final Dot[] dots;

    Several(Dot... dots) {
      this.dots = dots;
    }

    @Override
    public int size() {
      return dots.length;
    }

    @Override
    Dot get(int index) {
      return dots[index];
    }

    @Override
    int indexOf(Dot dot) {
      return Arrays.binarySearch(dots, dot);
    }
  }

  public abstract int size();

  abstract Dot get(int index);

  /** The index of a dot; if absent, a negative number as from {@link Arrays#binarySearch}. */
  abstract int indexOf(Dot dot);

  @SuppressWarnings("ReferenceEquality") // EMPTY is the only empty set
  public final boolean isEmpty() {
    return this == EMPTY;
  }

  public final boolean contains(Dot dot) {
    return indexOf(dot) >= 0;
  }

  @Override
  public final Iterator<Dot> iterator() {
    return list().iterator();
  }

  private List<Dot> list() {
    return Arrays.asList(array());
  }

  private Dot[] array() {
    Dot[] dots = new Dot[size()];
    Arrays.setAll(dots, this::get);
    return dots;
  }

  /** Adds a dot. */
  public final DotSet with(Dot dot) {
    if (isEmpty()) {
      return of(dot);
    }
    int index = indexOf(dot);
    return index >= 0 ? this : ofAscending(PersistentArrays.inserted(array(), -index - 1, dot));
  }

  /**
   * The dots that an effect had not observed.
   *
   * @param listed the dots that the effect lists
   */
  @SuppressWarnings(
      "ReferenceEquality") // at the origin it is often the same set, then no dots are compared
  public final DotSet withoutObserved(DotSet listed, EffectOrigin origin) {
    if (this == listed) {
      return EMPTY;
    }
    if (isEmpty()) {
      return this;
    }
    DotSet resolved = listed.resolve(origin);
    if (equals(resolved)) {
      return EMPTY;
    }
    return retain(dot -> !resolved.contains(dot) && !origin.hadPruned(dot));
  }

  /** Removes the dots at or below a frontier. */
  public final DotSet without(VectorClock frontier) {
    return retain(dot -> !dot.isAtOrBefore(frontier));
  }

  /** Replaces the self dots of an effect's transaction with its committed dots. */
  public final DotSet resolve(EffectOrigin origin) {
    if (isEmpty() || !get(size() - 1).isSelf()) {
      return this;
    }
    Dot[] resolved = array();
    for (int i = 0; i < resolved.length; i++) {
      resolved[i] = origin.resolve(resolved[i]);
    }
    Arrays.sort(resolved);
    return ofAscending(resolved);
  }

  public final boolean allMatch(Predicate<Dot> condition) {
    for (int i = 0; i < size(); i++) {
      if (!condition.test(get(i))) {
        return false;
      }
    }
    return true;
  }

  private DotSet retain(Predicate<Dot> condition) {
    if (allMatch(condition)) {
      return this;
    }
    Dot[] kept = new Dot[size()];
    int count = 0;
    for (Dot dot : this) {
      if (condition.test(dot)) {
        kept[count++] = dot;
      }
    }
    return ofAscending(Arrays.copyOf(kept, count));
  }

  public final void write(Encoder out) {
    out.writeUnsigned(size());
    for (int i = 0; i < size(); i++) {
      out.writeDot(get(i));
    }
  }

  public static DotSet readNonEmpty(Decoder in) {
    DotSet dots = read(in);
    if (dots.isEmpty()) {
      throw new FormatException("an entry has no dots");
    }
    return dots;
  }

  public static DotSet read(Decoder in) {
    int count = in.readCount(MIN_DOT_BYTES);
    Dot[] dots = new Dot[count];
    for (int i = 0; i < count; i++) {
      dots[i] = in.readDot();
      if (i > 0 && dots[i - 1].compareTo(dots[i]) >= 0) {
        throw new FormatException(
            "dots are not in ascending order: " + dots[i - 1] + ", " + dots[i]);
      }
    }
    return ofAscending(dots);
  }

  @Override
  public final boolean equals(Object other) {
    if (!(other instanceof DotSet that) || size() != that.size()) {
      return false;
    }
    for (int i = 0; i < size(); i++) {
      if (!get(i).equals(that.get(i))) {
        return false;
      }
    }
    return true;
  }

  @Override
  public final int hashCode() {
    return list().hashCode();
  }

  @Override
  public final String toString() {
    return list().toString();
  }
}
