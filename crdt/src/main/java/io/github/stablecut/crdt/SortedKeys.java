package io.github.stablecut.crdt;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Some keys in ascending order, and beside each that is a string of bytes, or begins with one, its
 * head ({@link Heads}) behind the bytes that all have in common. A search looks at the heads, which
 * lie side by side, and at a key only where they don't tell: what a search among many keys costs is
 * the memory that it touches for the first time. Immutable.
 *
 * <p>A key that ends early has zeros in its head. So heads are in the order of the keys, but
 * different keys may have the same.
 */
class SortedKeys<K extends Comparable<K>> {
  private static final long[] NO_HEADS = {};

  /** How many heads a search looks at together. */
  private static final int GROUP = 8;

  /** How many bytes of a head may be the same in all keys before others are taken. */
  private static final int MAX_SAME = 3;

  /** A bound that takes less is not cut. */
  private static final int MAX_WHOLE_BOUND_BYTES = 64;

  private final Object[] keys;

  /** What the keys that are strings of bytes, or begin with one, take. */
  private final int keyBytes;

  /** How many first bytes are the same in all keys, at least. */
  private final int common;

  /** Not below 0; none if the keys aren't strings of bytes. */
  private final long[] heads;

  /** Nobody may write to the array any more. */
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

  /** The same keys. */
  SortedKeys(SortedKeys<K> same) {
    this(same.keys, same.keyBytes, same.common, same.heads);
  }

  private static @Nullable Bytes bytesOf(Object key) {
    if (key instanceof Bytes bytes) {
      return bytes;
    }
    return key instanceof MapKey<?, ?> place ? place.key() : null;
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

  /** What the keys take in bytes; 0 if they are of another kind than strings of bytes. */
  final int keyBytes() {
    return keyBytes;
  }

  /**
   * The slot up to which the keys take half of what all take, about; neither the first one nor
   * behind the last.
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
   * What tells two neighbours apart: a key above one and at or below the other; if that is long, as
   * much of it as that takes.
   */
  @SuppressWarnings("unchecked") // what is made of a key is of its kind
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
    return (K) (first instanceof MapKey<?, ?> place ? new MapKey<>(cut, place.type()) : cut);
  }

  @SuppressWarnings("unchecked") // only keys are put in
  final K key(int slot) {
    return (K) keys[slot];
  }

  /**
   * The slot of a key, or -1 less the one that it would have, as {@link Arrays#binarySearch}.
   *
   * @param known how many first bytes all keys that can be here are known to have in common, if
   *     those that end early went on with zeros
   */
  final int search(K key, int known) {
    Bytes bytes = heads.length == 0 ? null : bytesOf(key);
    if (bytes == null) {
      return Arrays.binarySearch(keys, key);
    }
    if (known < common) {
      int order = orderOfCommon(bytes, known);
      if (order != 0) {
        return order < 0 ? -1 : -1 - keys.length;
      }
    }
    long head = Heads.of(bytes, common);
    int from = firstAtOrAbove(head);
    if (from == heads.length || heads[from] != head) {
      return -1 - from;
    }
    if (isToldByHead(key, bytes, head, keys[from]) || key.equals(keys[from])) {
      return from;
    }
    return Arrays.binarySearch(keys, from, endOf(from), key);
  }

  /** Whether a key with the same head as another is the same, as far as that shows. */
  private boolean isToldByHead(K key, Bytes bytes, long head, Object other) {
    return Heads.isWhole(head) && bytes.length() >= common && isSameBesideBytes(key, other);
  }

  private static boolean isSameBesideBytes(Object key, Object other) {
    return key instanceof Bytes
        || (key instanceof MapKey<?, ?> mine
            && other instanceof MapKey<?, ?> others
            && mine.type().equals(others.type()));
  }

  /** Compares the common bytes, from one on, of a key and of those that are here. */
  private int orderOfCommon(Bytes key, int from) {
    Bytes first = bytesOf(keys[0]);
    return first == null ? 0 : key.compareRange(from, common, first);
  }

  /**
   * How many first bytes all keys between two neighbours have in common, in the sense of {@link
   * #search}.
   *
   * @param slot of the second neighbour; what is before the first or after the last key can be
   *     anything that can be here
   */
  final int commonBefore(int slot, int known) {
    if (slot == 0 || slot >= heads.length) {
      return known;
    }
    return Math.max(known, common + Heads.commonLength(heads[slot - 1], heads[slot]));
  }

  /**
   * The first slot whose head is not below one: looks at every eighth head, then at seven side by
   * side. Counts all of them: branches that nobody can foresee would take longer, and so would the
   * steps of a binary search, each of which waits for the one before.
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

  /** All bits, which is -1, if one number that is not below 0 is less than another; else 0. */
  private static int isBelow(long number, long other) {
    return (int) ((number - other) >> (Long.SIZE - 1));
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

  /** These keys without the one in a slot. */
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

  /** The keys from one slot to before another. */
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

  /** These keys and those that follow. */
  final SortedKeys<K> joined(SortedKeys<K> next) {
    return new SortedKeys<>(PersistentArrays.joined(keys, next.keys));
  }
}
