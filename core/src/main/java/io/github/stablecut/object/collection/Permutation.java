package io.github.stablecut.object.collection;

import io.github.stablecut.crdt.Bytes;

/**
 * A keyed permutation of 64-bit numbers (Luby and Rackoff, SIAM Journal on Computing 17(2), 1988).
 * It spreads hashes of keys evenly, whatever they have in common. Without its key, nobody can
 * choose names that collide in one bucket.
 */
final class Permutation {
  private static final int ROUNDS = 4;
  private static final int HALF = 32;
  private static final long LOW = 0xFFFF_FFFFL;
  private static final long FNV_OFFSET = 0xCBF29CE484222325L;
  private static final long FNV_PRIME = 0x100000001B3L;

  private Permutation() {}

  /** Hashes bytes (Fowler, Noll and Vo, 1a). */
  static long hash(Bytes bytes) {
    long hash = FNV_OFFSET;
    for (int i = 0; i < bytes.length(); i++) {
      hash = (hash ^ (bytes.at(i) & 0xFF)) * FNV_PRIME;
    }
    return hash;
  }

  /** Permutes a number. */
  static long of(long number, long key) {
    long left = number >>> HALF;
    long right = number & LOW;
    for (int round = 0; round < ROUNDS; round++) {
      long next = left ^ (mixed(right ^ mixed(key + round)) & LOW);
      left = right;
      right = next;
    }
    return left << HALF | right;
  }

  /** Mixes a number so that it looks random (Stafford's variant 13, as in SplittableRandom). */
  private static long mixed(long number) {
    long mixed = (number ^ number >>> 30) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
    return mixed ^ mixed >>> 31;
  }
}
