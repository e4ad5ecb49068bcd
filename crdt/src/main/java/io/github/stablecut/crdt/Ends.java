package io.github.stablecut.crdt;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * Where each slot of a node ends, if slots take so many places one after the other. Finds the slot
 * of a place in one small array, so that nobody has to look at the slots before it, which are
 * seldom in the processor's cache. Immutable.
 */
final class Ends {
  private final int[] ends;

  private Ends(int[] ends) {
    this.ends = ends;
  }

  /**
   * The ends of some slots.
   *
   * @param sizes how many places each takes; 0 or more
   */
  static Ends of(int slots, IntUnaryOperator sizes) {
    int[] ends = new int[slots];
    int end = 0;
    for (int slot = 0; slot < slots; slot++) {
      end += sizes.applyAsInt(slot);
      ends[slot] = end;
    }
    return new Ends(ends);
  }

  /** The slot that holds a place, which is there. */
  int slotOf(int place) {
    int low = 0;
    int high = ends.length - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ends[middle] <= place) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** How many places are before a slot. */
  int before(int slot) {
    return slot == 0 ? 0 : ends[slot - 1];
  }

  /** How many places all slots take. */
  int total() {
    return before(ends.length);
  }

  /** These with some slots in the place of others. */
  Ends with(int slot, int removed, int added, IntUnaryOperator sizes) {
    int[] changed = Arrays.copyOf(ends, ends.length - removed + added);
    int end = before(slot);
    for (int i = 0; i < added; i++) {
      end += sizes.applyAsInt(i);
      changed[slot + i] = end;
    }
    int rest = slot + removed;
    int grown = end - before(rest);
    for (int i = rest; i < ends.length; i++) {
      changed[i - removed + added] = ends[i] + grown;
    }
    return new Ends(changed);
  }
}
