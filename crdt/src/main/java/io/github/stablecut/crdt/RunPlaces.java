package io.github.stablecut.crdt;

import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Where the slots of a node of a {@link RunTree} end. Immutable.
 *
 * @param elements counted in visible elements
 * @param units counted in places of a Java sequence; the same object if each element takes one
 */
record RunPlaces(Ends elements, Ends units) {
  /** The places of some slots. */
  static RunPlaces of(int slots, IntUnaryOperator elements, IntUnaryOperator units) {
    return of(Ends.of(slots, elements), Ends.of(slots, units));
  }

  private static RunPlaces of(Ends elements, Ends units) {
    return new RunPlaces(elements, elements.total() == units.total() ? elements : units);
  }

  /** These with some slots in the place of others. */
  RunPlaces with(
      int slot, int removed, int added, IntUnaryOperator newElements, IntUnaryOperator newUnits) {
    Ends changed = elements.with(slot, removed, added, newElements);
    boolean areAlike =
        units == elements
            && IntStream.range(0, added)
                .allMatch(i -> newElements.applyAsInt(i) == newUnits.applyAsInt(i));
    return areAlike
        ? new RunPlaces(changed, changed)
        : of(changed, units.with(slot, removed, added, newUnits));
  }
}
