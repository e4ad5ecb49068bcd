package io.github.stablecut.crdt.internal.tree;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.MapKey;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Keys in ascending order. If the keys are byte strings, or begin with one, each has a head ({@link
 * Heads}) after the prefix that all keys share. A search compares the heads, which are contiguous
 * in memory, and reads a key only where the heads don't decide: cache misses dominate the cost of a
 * search among many keys. Immutable.
 *
 * <p>Zeros pad the head of a short key. So heads are in the order of the keys, but different keys
 * may have equal heads.
 */
class SortedKeys<K extends Comparable<K>> {
  private static final long[] NO_HEADS = {};

  /** The number of heads that a search compares as a group. */
  private static final int GROUP = 8;

  /**
   * The maximum number of equal bytes in all heads before the heads are computed again at a later
   * offset.
   */
  private static final int MAX_SAME = 3;

  /** Bounds up to this size are not shortened. */
  private static final int MAX_WHOLE_BOUND_BYTES = 64;

  private final Object[] keys;

  /** The total size of the byte strings in the keys. */
  private final int keyBytes;

  /** A lower bound of the length of the keys' common prefix. */
  private final int common;

  /** The heads, which are not negative; empty if the keys have no byte strings. */
  private final long[] heads;

  /** Wraps the array; the caller must not modify it afterwards. */
  SortedKeys(Object[] keys) {
    this.keys = keys;
    Bytes first = keys.length == 0 ? null : bytesOf(keys[0]);
    Bytes last = keys.length == 0 ? null : bytesOf(keys[keys.length - 1]);
    int sum = 0;
    if (first == null || last == null) {
      this.common = 0;
      this.heads = NO_HEADS;
    } else {
      this.common = first.commonLength(last);
      this.heads = new long[keys.length];
      for (int i = 0; i < heads.length; i++) {
        heads[i] = headOf(keys[i], common);
        sum += bytesIn(keys[i]);
      }
    }
    this.keyBytes = sum;
  }

  private SortedKeys(Object[] keys, int keyBytes, int common, long[] heads) {
    this.keys = keys;
    this.keyBytes = keyBytes;
    this.common = common;
    this.heads = heads;
  }

  /** Shares the arrays of other keys. */
  SortedKeys(SortedKeys<K> same) {
    this(same.keys, same.keyBytes, same.common, same.heads);
  }

  private static @Nullable Bytes bytesOf(Object key) {
    if (key instanceof Bytes bytes) {
      return bytes;
    }
    return key instanceof MapKey<?, ?> mapKey ? mapKey.key() : null;
  }

  private static int bytesIn(Object key) {
    Bytes bytes = bytesOf(key);
    return bytes == null ? 0 : bytes.length();
  }

  private static long headOf(Object key, int offset) {
    Bytes bytes = bytesOf(key);
    return bytes == null ? 0 : Heads.of(bytes, offset);
  }

  final int count() {
    return keys.length;
  }

  /** The total size of the byte strings in the keys; 0 if they have none. */
  final int keyBytes() {
    return keyBytes;
  }

  /**
   * The slot that splits the keys into halves of about equal bytes; neither 0 nor the number of
   * keys.
   */
  final int halfOfBytes() {
    int slot = 1;
    int bytes = bytesIn(keys[0]);
    while (slot < keys.length - 1 && bytes + bytesIn(keys[slot]) / 2 < keyBytes / 2) {
      bytes += bytesIn(keys[slot]);
      slot++;
    }
    return slot;
  }

  /**
   * A bound between two neighbours: a key above {@code last} and at or below {@code first}; a
   * prefix of {@code first} if that is long.
   */
  @SuppressWarnings("unchecked") // a shortened key has the same type
  static <K extends Comparable<K>> K between(K last, K first) {
    Bytes before = bytesOf(last);
    Bytes bytes = bytesOf(first);
    if (before == null || bytes == null || bytes.length() <= MAX_WHOLE_BOUND_BYTES) {
      return first;
    }
    int length = before.commonLength(bytes) + 1;
    if (length >= bytes.length()) {
      return first;
    }
    Bytes cut = bytes.slice(0, length);
    return (K) (first instanceof MapKey<?, ?> mapKey ? new MapKey<>(cut, mapKey.type()) : cut);
  }

  @SuppressWarnings("unchecked") // the array holds only keys
  final K key(int slot) {
    return (K) keys[slot];
  }

  /**
   * The slot of a key; if absent, -1 minus its insertion slot, as {@link Arrays#binarySearch}.
   *
   * @param knownCommon the known length of the prefix that the key shares with all keys of this
   *     node, where zeros pad short keys
   */
  final int search(K key, int knownCommon) {
    Bytes bytes = heads.length == 0 ? null : bytesOf(key);
    if (bytes == null) {
      return Arrays.binarySearch(keys, key);
    }
    if (knownCommon < common) {
      int order = orderOfCommon(bytes, knownCommon);
      if (order != 0) {
        return order < 0 ? -1 : -1 - keys.length;
      }
    }
    long head = Heads.of(bytes, common);
    int from = firstAtOrAbove(head);
    if (from == heads.length || heads[from] != head) {
      return -1 - from;
    }
    if (isDecidedByHead(key, bytes, head, keys[from]) || key.equals(keys[from])) {
      return from;
    }
    return Arrays.binarySearch(keys, from, endOf(from), key);
  }

  /** Whether the equal heads of two keys prove that the keys are equal. */
  private boolean isDecidedByHead(K key, Bytes bytes, long head, Object other) {
    return Heads.isComplete(head) && bytes.length() >= common && isSameBesideBytes(key, other);
  }

  private static boolean isSameBesideBytes(Object key, Object other) {
    return key instanceof Bytes
        || (key instanceof MapKey<?, ?> mine
            && other instanceof MapKey<?, ?> others
            && mine.type().equals(others.type()));
  }

  /** Compares a key with the common prefix of these keys, from an offset on. */
  private int orderOfCommon(Bytes key, int from) {
    Bytes first = bytesOf(keys[0]);
    return first == null ? 0 : key.compareRange(from, common, first);
  }

  /**
   * The length of the prefix shared by all keys between two neighbours, in the sense of {@link
   * #search}.
   *
   * @param slot the slot of the second neighbour; at the ends, the result is {@code knownCommon}
   */
  final int commonBefore(int slot, int knownCommon) {
    if (slot == 0 || slot >= heads.length) {
      return knownCommon;
    }
    return Math.max(knownCommon, common + Heads.commonLength(heads[slot - 1], heads[slot]));
  }

  /**
   * The first slot whose head is at or above one. Compares every eighth head, then seven contiguous
   * ones, and counts without branches: mispredicted branches cost more, as do the dependent steps
   * of a binary search.
   */
  private int firstAtOrAbove(long head) {
    long[] all = heads;
    int from = 0;
    for (int last = GROUP - 1; last < all.length; last += GROUP) {
      from += GROUP & isBelow(all[last], head);
    }
    int less = from;
    if (from + GROUP <= all.length) {
      less -= isBelow(all[from], head);
      less -= isBelow(all[from + 1], head);
      less -= isBelow(all[from + 2], head);
      less -= isBelow(all[from + 3], head);
      less -= isBelow(all[from + 4], head);
      less -= isBelow(all[from + 5], head);
      less -= isBelow(all[from + 6], head);
    } else {
      for (int i = from; i < all.length; i++) {
        less -= isBelow(all[i], head);
      }
    }
    return less;
  }

  /** -1, all bits set, if a number is less than another; otherwise 0. Neither may be negative. */
  private static int isBelow(long number, long other) {
    return (int) ((number - other) >> (Long.SIZE - 1));
  }

  /** The end of the slots with the same head as slot {@code from}, exclusive. */
  private int endOf(int from) {
    int to = from + 1;
    while (to < heads.length && heads[to] == heads[from]) {
      to++;
    }
    return to;
  }

  /** Inserts a key at its slot. */
  final SortedKeys<K> inserted(int slot, K key) {
    Object[] more = PersistentArrays.inserted(keys, slot, key);
    Bytes bytes = heads.length == 0 ? null : bytesOf(key);
    boolean isBetween = slot > 0 && slot < keys.length;
    if (bytes == null || (!isBetween && orderOfCommon(bytes, 0) != 0)) {
      return new SortedKeys<>(more);
    }
    long[] moreHeads = new long[more.length];
    System.arraycopy(heads, 0, moreHeads, 0, slot);
    moreHeads[slot] = headOf(key, common);
    System.arraycopy(heads, slot, moreHeads, slot + 1, heads.length - slot);
    return new SortedKeys<>(more, keyBytes + bytes.length(), common, moreHeads);
  }

  /** Removes the key in a slot. */
  final SortedKeys<K> removed(int slot) {
    Object[] fewer = PersistentArrays.removed(keys, slot);
    if (heads.length == 0) {
      return new SortedKeys<>(fewer);
    }
    long[] fewerHeads = new long[fewer.length];
    System.arraycopy(heads, 0, fewerHeads, 0, slot);
    System.arraycopy(heads, slot + 1, fewerHeads, slot, fewerHeads.length - slot);
    return new SortedKeys<>(fewer, keyBytes - bytesIn(keys[slot]), common, fewerHeads);
  }

  /** The keys from one slot (inclusive) to another (exclusive). */
  final SortedKeys<K> part(int from, int to) {
    Object[] some = Arrays.copyOfRange(keys, from, to);
    if (heads.length == 0
        || from == to
        || Heads.commonLength(heads[from], heads[to - 1]) > MAX_SAME) {
      return new SortedKeys<>(some);
    }
    int bytes = 0;
    for (Object key : some) {
      bytes += bytesIn(key);
    }
    return new SortedKeys<>(some, bytes, common, Arrays.copyOfRange(heads, from, to));
  }

  /** Appends the keys that follow. */
  final SortedKeys<K> joined(SortedKeys<K> next) {
    return new SortedKeys<>(PersistentArrays.joined(keys, next.keys));
  }
}
