package io.github.stablecut.crdt.internal.tree;

import java.util.Arrays;

/** Copy-on-write operations on arrays that are never modified. */
public final class PersistentArrays {
  private PersistentArrays() {}

  public static <T> T[] inserted(T[] array, int slot, T element) {
    T[] changed = Arrays.copyOf(array, array.length + 1);
    changed[slot] = element;
    System.arraycopy(array, slot, changed, slot + 1, array.length - slot);
    return changed;
  }

  static <T> T[] removed(T[] array, int slot) {
    T[] changed = Arrays.copyOf(array, array.length - 1);
    System.arraycopy(array, slot + 1, changed, slot, changed.length - slot);
    return changed;
  }

  static <T> T[] replaced(T[] array, int slot, T element) {
    T[] changed = array.clone();
    changed[slot] = element;
    return changed;
  }

  /**
   * @param with replaces the slots from {@code from} (inclusive) to {@code to} (exclusive)
   */
  static <T> T[] replaced(T[] array, int from, int to, T[] with) {
    T[] changed = Arrays.copyOf(array, array.length - (to - from) + with.length);
    System.arraycopy(with, 0, changed, from, with.length);
    System.arraycopy(array, to, changed, from + with.length, array.length - to);
    return changed;
  }

  static <T> T[] joined(T[] left, T[] right) {
    T[] joined = Arrays.copyOf(left, left.length + right.length);
    System.arraycopy(right, 0, joined, left.length, right.length);
    return joined;
  }
}
