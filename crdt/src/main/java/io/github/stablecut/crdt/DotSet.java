package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;

/**
 * A few dots in ascending order, each once. Immutable. Nearly always there is one: concurrency
 * makes a second, and the next operation that has seen both makes one of them again.
 */
final class DotSet implements Iterable<Dot> {
  static final DotSet EMPTY = new DotSet(new Dot[0]);

  private static final int MIN_DOT_BYTES = 2;

  private final Dot[] dots;

  private DotSet(Dot[] dots) {
    this.dots = dots;
  }

  static DotSet of(Dot dot) {
    return new DotSet(new Dot[] {dot});
  }

  /** The keys of a map. */
  static DotSet of(PersistentMap<Dot, ?> byDot) {
    if (byDot.isEmpty()) {
      return EMPTY;
    }
    List<Dot> dots = new ArrayList<>(byDot.size());
    byDot.forEach((dot, value) -> dots.add(dot));
    return new DotSet(dots.toArray(new Dot[0]));
  }

  boolean isEmpty() {
    return dots.length == 0;
  }

  int size() {
    return dots.length;
  }

  boolean contains(Dot dot) {
    return Arrays.binarySearch(dots, dot) >= 0;
  }

  @Override
  public Iterator<Dot> iterator() {
    return Arrays.asList(dots).iterator();
  }

  /** This set and one more dot. */
  DotSet with(Dot dot) {
    if (dots.length == 0) {
      return of(dot);
    }
    int place = Arrays.binarySearch(dots, dot);
    if (place >= 0) {
      return this;
    }
    int at = -place - 1;
    Dot[] more = Arrays.copyOf(dots, dots.length + 1);
    System.arraycopy(dots, at, more, at + 1, dots.length - at);
    more[at] = dot;
    return new DotSet(more);
  }

  /**
   * The dots that an effect had not observed.
   *
   * @param listed the dots that it lists
   */
  @SuppressWarnings("ReferenceEquality") // where the effect is from, which needs no look at them
  DotSet withoutObserved(DotSet listed, EffectOrigin origin) {
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

  /** Without the events at or below a frontier. */
  DotSet without(VectorClock frontier) {
    return retain(dot -> !dot.isAtOrBefore(frontier));
  }

  /** The same events, after the transaction of an effect has got its commit time. */
  DotSet resolve(EffectOrigin origin) {
    if (dots.length == 0 || !dots[dots.length - 1].isSelf()) {
      return this;
    }
    Dot[] resolved = new Dot[dots.length];
    for (int i = 0; i < dots.length; i++) {
      resolved[i] = origin.resolve(dots[i]);
    }
    Arrays.sort(resolved);
    return new DotSet(resolved);
  }

  boolean allMatch(Predicate<Dot> condition) {
    for (Dot dot : dots) {
      if (!condition.test(dot)) {
        return false;
      }
    }
    return true;
  }

  private DotSet retain(Predicate<Dot> condition) {
    if (allMatch(condition)) {
      return this;
    }
    Dot[] kept = new Dot[dots.length];
    int count = 0;
    for (Dot dot : dots) {
      if (condition.test(dot)) {
        kept[count++] = dot;
      }
    }
    return count == 0 ? EMPTY : new DotSet(Arrays.copyOf(kept, count));
  }

  void write(Encoder out) {
    out.writeUnsigned(dots.length);
    for (Dot dot : dots) {
      out.writeDot(dot);
    }
  }

  static DotSet readNonEmpty(Decoder in) {
    DotSet dots = read(in);
    if (dots.isEmpty()) {
      throw new FormatException("an entry without a dot");
    }
    return dots;
  }

  static DotSet read(Decoder in) {
    int count = in.readCount(MIN_DOT_BYTES);
    if (count == 0) {
      return EMPTY;
    }
    Dot[] dots = new Dot[count];
    for (int i = 0; i < count; i++) {
      dots[i] = in.readDot();
      if (i > 0 && dots[i - 1].compareTo(dots[i]) >= 0) {
        throw new FormatException(
            "dots are not in ascending order: " + dots[i - 1] + ", " + dots[i]);
      }
    }
    return new DotSet(dots);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DotSet that && Arrays.equals(dots, that.dots);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(dots);
  }

  @Override
  public String toString() {
    return Arrays.toString(dots);
  }
}
