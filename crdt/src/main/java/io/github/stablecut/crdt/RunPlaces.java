package io.github.stablecut.crdt;

import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** Where the slots of a node of a {@link RunTree} end ({@link Ends}). Immutable. */
final class RunPlaces {
  private final int[] elements;
  private final int[] units;

  /**
   * @param elements counted in visible elements
   * @param units counted in places of a Java sequence; the same array if each element takes one
   */
  RunPlaces(int[] elements, int[] units) {
    this.elements = elements;
    this.units = units;
  }

  /** The places of some slots. */
  static RunPlaces of(int slots, IntUnaryOperator elements, IntUnaryOperator units) {
    return of(Ends.of(slots, elements), Ends.of(slots, units));
  }

  private static RunPlaces of(int[] elements, int[] units) {
    return new RunPlaces(elements, Ends.total(elements) == Ends.total(units) ? elements : units);
  }

  int[] elements() {
    return elements;
  }

  int[] units() {
    return units;
  }

  /** These with some slots in the place of others. */
  RunPlaces with(
      int slot, int removed, int added, IntUnaryOperator newElements, IntUnaryOperator newUnits) {
    int[] changed = Ends.with(elements, slot, removed, added, newElements);
    boolean areAlike =
        units == elements
            && IntStream.range(0, added)
                .allMatch(i -> newElements.applyAsInt(i) == newUnits.applyAsInt(i));
    return areAlike
        ? new RunPlaces(changed, changed)
        : of(changed, Ends.with(units, slot, removed, added, newUnits));
  }
}
