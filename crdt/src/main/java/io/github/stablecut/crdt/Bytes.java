package io.github.stablecut.crdt;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;

/**
 * A byte string, ordered lexicographically by unsigned bytes. Object ids, set elements, map keys
 * and register values are byte strings; a codec converts typed values. Immutable.
 */
public final class Bytes implements Comparable<Bytes> {
  /** The empty string. */
  public static final Bytes EMPTY = new Bytes(new byte[0]);

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** Random per process, so that clients cannot guess it and choose colliding strings. */
  private static final long SEED;

  private static final long MULTIPLIER;

  static {
    SecureRandom random = new SecureRandom();
    SEED = random.nextLong();
    MULTIPLIER = random.nextLong() | 1;
  }

  /** The bits of the last eight bytes in which strings with neighbouring seeded hashes differ. */
  private static final long NEIGHBOURS = 0x0f0f;

  private final byte[] array;
  private int hash;
  private int seededHash;

  private Bytes(byte[] array) {
    this.array = array;
  }

  /** Copies an array. */
  public static Bytes copyOf(byte[] array) {
    return array.length == 0 ? EMPTY : new Bytes(array.clone());
  }

  /** Wraps an array without copying it; the caller must not modify it afterwards. */
  public static Bytes wrap(byte[] array) {
    return array.length == 0 ? EMPTY : new Bytes(array);
  }

  /**
   * The UTF-8 bytes of a text.
   *
   * @throws IllegalArgumentException if the text has an unpaired surrogate, which would become a
   *     question mark
   */
  public static Bytes utf8(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        int codePoint = text.codePointAt(i);
        if (!Character.isSupplementaryCodePoint(codePoint)) {
          throw new IllegalArgumentException(
              "the text has an unpaired surrogate (U+%04X) at index %,d, which UTF-8 can't represent: remove it, or use bytes"
                  .formatted(codePoint, i));
        }
        i++;
      }
    }
    return wrap(text.getBytes(UTF_8));
  }

  /** Copies strings in ascending order, without duplicates. */
  public static List<Bytes> ascending(List<Bytes> strings) {
    return List.copyOf(strings.size() < 2 ? strings : new TreeSet<>(strings));
  }

  /** The number of bytes. */
  public int length() {
    return array.length;
  }

  /** The byte at an index, 0 to 255. */
  public int at(int index) {
    return array[index] & 0xff;
  }

  /** Whether this string begins with another. */
  public boolean startsWith(Bytes prefix) {
    return array.length >= prefix.array.length
        && Arrays.equals(array, 0, prefix.array.length, prefix.array, 0, prefix.array.length);
  }

  /** The length of the common prefix of this string and another. */
  public int commonLength(Bytes other) {
    int mismatch = Arrays.mismatch(array, other.array);
    return mismatch < 0 ? array.length : mismatch;
  }

  /**
   * Compares the bytes between two indexes as {@link #compareTo} does. Each string may end before
   * {@code to}.
   *
   * @param to exclusive
   */
  public int compareRange(int from, int to, Bytes other) {
    int end = Math.min(to, Math.min(array.length, other.array.length));
    if (end < Long.BYTES) {
      return compareFew(from, to, other);
    }
    for (int i = from; i < end; i += Long.BYTES) {
      int at = Math.min(i, end - Long.BYTES);
      long ownBits = (long) LONGS.get(array, at);
      long otherBits = (long) LONGS.get(other.array, at);
      if (ownBits != otherBits) {
        return Long.compareUnsigned(ownBits, otherBits);
      }
    }
    return Integer.compare(Math.min(to, array.length), Math.min(to, other.array.length));
  }

  private int compareFew(int from, int to, Bytes other) {
    return Arrays.compareUnsigned(
        array,
        Math.min(from, array.length),
        Math.min(to, array.length),
        other.array,
        Math.min(from, other.array.length),
        Math.min(to, other.array.length));
  }

  /** The eight bytes at an offset, the first in the highest bits; zeros beyond the end. */
  public long eightBytesAt(int offset) {
    int rest = array.length - offset;
    if (rest >= Long.BYTES) {
      return (long) LONGS.get(array, offset);
    }
    return rest <= 0 ? 0 : lastEightBytes() << ((Long.BYTES - rest) * Byte.SIZE);
  }

  /** The last eight bytes, the last in the lowest bits; zeros before the beginning. */
  private long lastEightBytes() {
    if (array.length >= Long.BYTES) {
      return (long) LONGS.get(array, array.length - Long.BYTES);
    }
    long eight = 0;
    for (byte each : array) {
      eight = (eight << Byte.SIZE) | (each & 0xff);
    }
    return eight;
  }

  /** The array itself, not a copy: callers must not modify it. */
  public byte[] unwrap() {
    return array;
  }

  /** Copies the bytes to a new array. */
  public byte[] toArray() {
    return array.clone();
  }

  /**
   * Copies a range of the bytes.
   *
   * @param from the first index
   * @param to the index after the last
   */
  public Bytes slice(int from, int to) {
    return from == 0 && to == array.length ? this : wrap(Arrays.copyOfRange(array, from, to));
  }

  /** The next string in ascending order: these bytes, then a 0. */
  public Bytes successor() {
    return wrap(Arrays.copyOf(array, array.length + 1));
  }

  /** Copies the bytes into an array at an offset. */
  public void copyInto(byte[] target, int offset) {
    System.arraycopy(array, 0, target, offset, array.length);
  }

  /** A read-only buffer over the bytes, without a copy. */
  public ByteBuffer asBuffer() {
    return ByteBuffer.wrap(array).asReadOnlyBuffer();
  }

  /** Decodes the bytes as UTF-8; malformed input becomes U+FFFD. */
  public String toUtf8() {
    return new String(array, UTF_8);
  }

  @Override
  public int compareTo(Bytes other) {
    return Arrays.compareUnsigned(array, other.array);
  }

  @Override
  public boolean equals(Object other) {
    return this == other || (other instanceof Bytes that && Arrays.equals(array, that.array));
  }

  @Override
  public int hashCode() {
    int cached = hash;
    if (cached == 0) {
      cached = Arrays.hashCode(array);
      hash = cached;
    }
    return cached;
  }

  /**
   * A hash with a seed per process, for tables of ids and similar strings: clients cannot choose
   * strings that collide. Strings that differ only in their last digits, such as numbered ones,
   * have neighbouring hashes, because they are often read together. Must not be stored or sent.
   */
  public int seededHash() {
    int cached = seededHash;
    if (cached == 0) {
      cached = computeSeededHash();
      seededHash = cached;
    }
    return cached;
  }

  private int computeSeededHash() {
    long mixed = SEED ^ array.length;
    for (int i = 0; i < array.length - Long.BYTES; i += Long.BYTES) {
      mixed = fold(mixed ^ (long) LONGS.get(array, i));
    }
    long last = lastEightBytes();
    mixed = fold(mixed ^ (last & ~NEIGHBOURS));
    return (int) ((mixed >>> Integer.SIZE) + ((last & 0xf) | ((last >>> 4) & 0xf0)));
  }

  /**
   * Multiplies by {@link #MULTIPLIER} and XORs the two halves of the 128-bit product. The product
   * is unsigned: in a signed one the halves of a factor and of its negative would be correlated
   * whatever the multiplier.
   */
  private static long fold(long factor) {
    long high =
        Math.multiplyHigh(factor, MULTIPLIER)
            + ((factor >> 63) & MULTIPLIER)
            + ((MULTIPLIER >> 63) & factor);
    return high ^ (factor * MULTIPLIER);
  }

  /**
   * The text in quotes if the bytes are printable ASCII, hexadecimal otherwise; cut after 64 bytes.
   */
  @Override
  public String toString() {
    int shown = Math.min(array.length, 64);
    String more = array.length > shown ? "… (" + array.length + " bytes)" : "";
    for (int i = 0; i < shown; i++) {
      if (array[i] < ' ' || array[i] > '~') {
        return "0x" + HexFormat.of().formatHex(array, 0, shown) + more;
      }
    }
    return '"' + new String(array, 0, shown, UTF_8) + '"' + more;
  }
}
