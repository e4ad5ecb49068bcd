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
 * A string of bytes, ordered as unsigned bytes from left to right, a prefix before what it begins.
 * Object ids, set elements, map keys and register values are such strings; typed values become them
 * by a codec. Immutable.
 */
public final class Bytes implements Comparable<Bytes> {
  /** The string of no bytes. */
  public static final Bytes EMPTY = new Bytes(new byte[0]);

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** Different in each process, and not to be guessed by those who choose strings. */
  private static final long SEED;

  private static final long MULTIPLIER;

  static {
    SecureRandom random = new SecureRandom();
    SEED = random.nextLong();
    MULTIPLIER = random.nextLong() | 1;
  }

  /** The bits in which strings with neighbouring seeded hashes differ. */
  private static final long NEIGHBOURS = 0x0f0f;

  private final byte[] array;
  private int hash;
  private int seededHash;

  private Bytes(byte[] array) {
    this.array = array;
  }

  /** A copy of an array. */
  public static Bytes copyOf(byte[] array) {
    return array.length == 0 ? EMPTY : new Bytes(array.clone());
  }

  /** An array itself: nobody may write to it any more. */
  public static Bytes wrap(byte[] array) {
    return array.length == 0 ? EMPTY : new Bytes(array);
  }

  /**
   * The UTF-8 bytes of a text.
   *
   * @throws IllegalArgumentException if half of a surrogate pair is in it, which would become a
   *     question mark
   */
  public static Bytes utf8(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        int codePoint = text.codePointAt(i);
        if (!Character.isSupplementaryCodePoint(codePoint)) {
          throw new IllegalArgumentException(
              "text: half a character (U+%04X) at index %,d, which UTF-8 can't represent: leave it out, or use bytes"
                  .formatted(codePoint, i));
        }
        i++;
      }
    }
    return wrap(text.getBytes(UTF_8));
  }

  /** A copy of some strings in ascending order, each once. */
  static List<Bytes> ascending(List<Bytes> strings) {
    return List.copyOf(strings.size() < 2 ? strings : new TreeSet<>(strings));
  }

  /** The number of bytes. */
  public int length() {
    return array.length;
  }

  /** The byte at a place, 0 to 255. */
  public int at(int index) {
    return array[index] & 0xff;
  }

  /** Whether this string begins with another. */
  public boolean startsWith(Bytes prefix) {
    return array.length >= prefix.array.length
        && Arrays.equals(array, 0, prefix.array.length, prefix.array, 0, prefix.array.length);
  }

  /** How many first bytes this string has in common with another. */
  public int commonLength(Bytes other) {
    int mismatch = Arrays.mismatch(array, other.array);
    return mismatch < 0 ? array.length : mismatch;
  }

  /**
   * Compares as {@link #compareTo} does the bytes from one place to before another, as far as they
   * are there.
   */
  int compareRange(int from, int to, Bytes other) {
    int end = Math.min(to, Math.min(array.length, other.array.length));
    if (end < Long.BYTES) {
      return compareFew(from, to, other);
    }
    for (int i = from; i < end; i += Long.BYTES) {
      int at = Math.min(i, end - Long.BYTES);
      long mine = (long) LONGS.get(array, at);
      long others = (long) LONGS.get(other.array, at);
      if (mine != others) {
        return Long.compareUnsigned(mine, others);
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

  /** Eight bytes from a place on, the first in the highest bits; zeros where there are none. */
  long eightBytesAt(int offset) {
    int rest = array.length - offset;
    if (rest >= Long.BYTES) {
      return (long) LONGS.get(array, offset);
    }
    return rest <= 0 ? 0 : lastEightBytes() << ((Long.BYTES - rest) * Byte.SIZE);
  }

  /** The last eight bytes, the last in the lowest bits; zeros before the first. */
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

  /** The array itself, for who only reads: nobody may write to it. */
  public byte[] unwrap() {
    return array;
  }

  /** A copy as an array. */
  public byte[] toArray() {
    return array.clone();
  }

  /**
   * A copy of some of the bytes.
   *
   * @param from the first place
   * @param to after the last place
   */
  public Bytes slice(int from, int to) {
    return from == 0 && to == array.length ? this : wrap(Arrays.copyOfRange(array, from, to));
  }

  /** The next string in ascending order: these bytes and a 0. */
  public Bytes successor() {
    return wrap(Arrays.copyOf(array, array.length + 1));
  }

  /** Copies the bytes into an array, from a place on. */
  public void copyInto(byte[] target, int offset) {
    System.arraycopy(array, 0, target, offset, array.length);
  }

  /** The bytes as a buffer that can't be written to; nothing is copied. */
  public ByteBuffer asBuffer() {
    return ByteBuffer.wrap(array).asReadOnlyBuffer();
  }

  /** The text whose UTF-8 bytes these are; what is not UTF-8 becomes U+FFFD. */
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
    int known = hash;
    if (known == 0) {
      known = Arrays.hashCode(array);
      hash = known;
    }
    return known;
  }

  /**
   * A hash that is another one in each process, so that who chooses the strings can't choose many
   * with the same one: for tables of ids and the like. Strings that differ in the last digits only,
   * such as numbered ones, have neighbouring hashes, as they are often read together. Never to be
   * stored or sent.
   */
  public int seededHash() {
    int known = seededHash;
    if (known == 0) {
      known = hashed();
      seededHash = known;
    }
    return known;
  }

  private int hashed() {
    long mixed = SEED ^ array.length;
    for (int i = 0; i < array.length - Long.BYTES; i += Long.BYTES) {
      mixed = folded(mixed ^ (long) LONGS.get(array, i));
    }
    long last = lastEightBytes();
    mixed = folded(mixed ^ (last & ~NEIGHBOURS));
    return (int) ((mixed >>> Integer.SIZE) + ((last & 0xf) | ((last >>> 4) & 0xf0)));
  }

  /**
   * The two halves of a product of 128 bits, each bit of which depends on all below it. Without
   * signs: with them a factor and its negative would have halves that belong together whatever the
   * multiplier is.
   */
  private static long folded(long factor) {
    long high =
        Math.multiplyHigh(factor, MULTIPLIER)
            + ((factor >> 63) & MULTIPLIER)
            + ((MULTIPLIER >> 63) & factor);
    return high ^ (factor * MULTIPLIER);
  }

  /**
   * The text in quotes if the bytes are printable ASCII, hexadecimal otherwise; long strings are
   * cut.
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
