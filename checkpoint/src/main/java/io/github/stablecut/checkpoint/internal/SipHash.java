package io.github.stablecut.checkpoint.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012). Immutable,
 * thread-safe.
 */
public final class SipHash implements IdHash {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final long key0;
  private final long key1;

  /** The hash function with a key. */
  SipHash(long key0, long key1) {
    this.key0 = key0;
    this.key1 = key1;
  }

  /** The hash of a store: its key is the 64-bit seed and the next number of SplitMix64 after it. */
  public static SipHash ofSeed(long seed) {
    long z = seed + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return new SipHash(seed, z ^ (z >>> 31));
  }

  @Override
  public long of(byte[] id) {
    Rounds rounds = new Rounds(key0, key1);
    int fullWords = id.length & -Long.BYTES;
    for (int i = 0; i < fullWords; i += Long.BYTES) {
      rounds.absorb((long) LONG.get(id, i));
    }
    long last = (long) id.length << 56;
    for (int i = fullWords; i < id.length; i++) {
      last |= (id[i] & 0xffL) << ((i - fullWords) * Byte.SIZE);
    }
    rounds.absorb(last);
    return rounds.end();
  }

  /** The state of a hash computation. Confined to one call. */
  private static final class Rounds {
    private long v0;
    private long v1;
    private long v2;
    private long v3;

    Rounds(long key0, long key1) {
      v0 = key0 ^ 0x736f6d6570736575L;
      v1 = key1 ^ 0x646f72616e646f6dL;
      v2 = key0 ^ 0x6c7967656e657261L;
      v3 = key1 ^ 0x7465646279746573L;
    }

    void absorb(long word) {
      v3 ^= word;
      round();
      round();
      v0 ^= word;
    }

    long end() {
      v2 ^= 0xff;
      for (int i = 0; i < 4; i++) {
        round();
      }
      return v0 ^ v1 ^ v2 ^ v3;
    }

    private void round() {
      v0 += v1;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v3;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 += v3;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 += v1;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v2 = Long.rotateLeft(v2, 32);
    }
  }
}
