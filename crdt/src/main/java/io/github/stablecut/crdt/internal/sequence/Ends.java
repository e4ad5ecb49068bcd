package io.github.stablecut.crdt.internal.sequence;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * Prefix sums of the sizes of a node's slots. Finds the slot of a position in one small array,
 * without reading the preceding slots, which are seldom in the processor's cache. The arrays are
 * never modified.
 */
final class Ends {
  private Ends() {}

  /**
   * The end position of each slot.
   *
   * @param sizes the size of each slot, 0 or more
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
   * The slot that contains a position, which must exist: the number of slots that end at or before
   * it. Counts without branches, because there are few slots and mispredicted branches cost more.
   */
  static int slotOf(int[] ends, int position) {
    int before = 0;
    for (int end : ends) {
      before += (end - position - 1) >>> (Integer.SIZE - 1);
    }
    return before;
  }

  /** The total size of the slots before one. */
  static int before(int[] ends, int slot) {
    return slot == 0 ? 0 : ends[slot - 1];
  }

  /** The total size of all slots. */
  static int total(int[] ends) {
    return before(ends, ends.length);
  }

  /** Replaces {@code removed} slots from {@code slot} on with {@code added} others. */
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
