package io.github.stablecut.crdt;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Some keys in ascending order, and beside each that is a string of bytes, or begins with one, its
 * head: the first 31 of the bits after those bytes that all have in common. A search looks at the
 * heads, which lie side by side, and then at about one key: what a search among many keys costs is
 * the memory that it touches for the first time. Immutable.
 *
 * <p>A key that ends early has zeros in its head. So heads are in the order of the keys, but
 * different keys may have the same.
 */
class SortedKeys<K extends Comparable<K>> {
  private static final int[] NO_HEADS = {};

  private final Object[] keys;

  /** How many first bytes are the same in all keys, at least. */
  private final int common;

  /** Not below 0; none if the keys aren't strings of bytes. */
  private final int[] heads;

  /** Nobody may write to the array any more. */
  SortedKeys(Object[] keys) {
    this.keys = keys;
    Bytes first = keys.length == 0 ? null : bytesOf(keys[0]);
    Bytes last = keys.length == 0 ? null : bytesOf(keys[keys.length - 1]);
    if (first == null || last == null) {
      this.common = 0;
      this.heads = NO_HEADS;
    } else {
      this.common = first.commonLength(last);
      this.heads = new int[keys.length];
      for (int i = 0; i < heads.length; i++) {
        heads[i] = headOf(keys[i], common);
      }
    }
  }

  private SortedKeys(Object[] keys, int common, int[] heads) {
    this.keys = keys;
    this.common = common;
    this.heads = heads;
  }

  /** The same keys. */
  SortedKeys(SortedKeys<K> same) {
    this(same.keys, same.common, same.heads);
  }

  private static @Nullable Bytes bytesOf(Object key) {
    if (key instanceof Bytes bytes) {
      return bytes;
    }
    return key instanceof MapKey<?, ?> place ? place.key() : null;
  }

  private static int headOf(Object key, int offset) {
    Bytes bytes = bytesOf(key);
    return bytes == null ? 0 : bytes.fourBytesAt(offset) >>> 1;
  }

  final int count() {
    return keys.length;
  }

  @SuppressWarnings("unchecked") // only keys are put in
  final K key(int slot) {
    return (K) keys[slot];
  }

  /** The slot of a key, or below 0 if it isn't there. */
  final int find(K key) {
    if (heads.length == 0) {
      return Arrays.binarySearch(keys, key);
    }
    int head = headOf(key, common);
    int from = firstAtOrAbove(head);
    if (from == heads.length || heads[from] != head) {
      return -1;
    }
    // A key that is here has the common bytes too, so they need no look of their own.
    return Arrays.binarySearch(keys, from, endOf(from), key);
  }

  /** The slot of a key, or -1 less the one that it would have, as {@link Arrays#binarySearch}. */
  final int search(K key) {
    Bytes bytes = bytesOf(key);
    Bytes first = heads.length == 0 ? null : bytesOf(keys[0]);
    if (bytes == null || first == null) {
      return Arrays.binarySearch(keys, key);
    }
    int order = bytes.compareFirst(common, first);
    if (order != 0) {
      return order < 0 ? -1 : -1 - keys.length;
    }
    int head = headOf(key, common);
    int from = firstAtOrAbove(head);
    return from == heads.length || heads[from] != head
        ? -1 - from
        : Arrays.binarySearch(keys, from, endOf(from), key);
  }

  /** Counts the lesser heads, all of them: branches that nobody can foresee would take longer. */
  private int firstAtOrAbove(int head) {
    int less = 0;
    for (int each : heads) {
      less += (each - head) >>> (Integer.SIZE - 1);
    }
    return less;
  }

  /** The end of the slots with the same head as one. */
  private int endOf(int from) {
    int to = from + 1;
    while (to < heads.length && heads[to] == heads[from]) {
      to++;
    }
    return to;
  }

  /** These keys and one more, in its slot. */
  final SortedKeys<K> inserted(int slot, K key) {
    Object[] more = Slots.inserted(keys, slot, key);
    Bytes bytes = bytesOf(key);
    Bytes first = heads.length == 0 ? null : bytesOf(keys[0]);
    if (bytes == null || first == null || bytes.compareFirst(common, first) != 0) {
      return new SortedKeys<>(more);
    }
    int[] moreHeads = new int[more.length];
    System.arraycopy(heads, 0, moreHeads, 0, slot);
    moreHeads[slot] = headOf(key, common);
    System.arraycopy(heads, slot, moreHeads, slot + 1, heads.length - slot);
    return new SortedKeys<>(more, common, moreHeads);
  }

  /** These keys without the one in a slot. */
  final SortedKeys<K> removed(int slot) {
    Object[] fewer = Slots.removed(keys, slot);
    if (heads.length == 0) {
      return new SortedKeys<>(fewer);
    }
    int[] fewerHeads = new int[fewer.length];
    System.arraycopy(heads, 0, fewerHeads, 0, slot);
    System.arraycopy(heads, slot + 1, fewerHeads, slot, fewerHeads.length - slot);
    return new SortedKeys<>(fewer, common, fewerHeads);
  }

  /** The keys from one slot to before another. */
  final SortedKeys<K> part(int from, int to) {
    return new SortedKeys<>(Arrays.copyOfRange(keys, from, to));
  }

  /** These keys and those that follow. */
  final SortedKeys<K> joined(SortedKeys<K> next) {
    return new SortedKeys<>(Slots.joined(keys, next.keys));
  }
}
