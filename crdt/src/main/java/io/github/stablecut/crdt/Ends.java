package io.github.stablecut.crdt;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * Where each slot of a node ends, if slots take so many places one after the other. Finds the slot
 * of a place in one small array, so that nobody has to look at the slots before it, which are
 * seldom in the processor's cache. Nobody writes to such an array any more.
 */
final class Ends {
  private Ends() {}

  /**
   * The ends of some slots.
   *
   * @param sizes how many places each takes; 0 or more
   */
  static int[] of(int slots, IntUnaryOperator sizes) {
    int[] ends = new int[slots];
    int end = 0;
    for (int slot = 0; slot < slots; slot++) {
      end += sizes.applyAsInt(slot);
      ends[slot] = end;
    }
    return ends;
  }

  /**
   * The slot that holds a place, which is there: as many as end at or before it. Counts all of
   * them, because there are few, and branches that nobody can foresee would take longer.
   */
  static int slotOf(int[] ends, int place) {
    int before = 0;
    for (int end : ends) {
      before += (end - place - 1) >>> (Integer.SIZE - 1);
    }
    return before;
  }

  /** How many places are before a slot. */
  static int before(int[] ends, int slot) {
    return slot == 0 ? 0 : ends[slot - 1];
  }

  /** How many places all slots take. */
  static int total(int[] ends) {
    return before(ends, ends.length);
  }

  /** These with some slots in the place of others. */
  static int[] with(int[] ends, int slot, int removed, int added, IntUnaryOperator sizes) {
    int[] changed = Arrays.copyOf(ends, ends.length - removed + added);
    int end = before(ends, slot);
    for (int i = 0; i < added; i++) {
      end += sizes.applyAsInt(i);
      changed[slot + i] = end;
    }
    int rest = slot + removed;
    int grown = end - before(ends, rest);
    for (int i = rest; i < ends.length; i++) {
      changed[i - removed + added] = ends[i] + grown;
    }
    return changed;
  }
}
