package io.github.stablecut.crdt.internal.state;

import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.error.LimitExceededException;
import java.math.BigInteger;

/**
 * Exact sums of counters of any size: a {@code Long} if it fits, otherwise a {@code BigInteger}, so
 * that equal sums are equal objects. Readers get a {@code long}, or an exception if the sum does
 * not fit.
 *
 * <p>A sum that fits a {@code long} is encoded as one number. A greater one is encoded as {@link
 * Encoder#writeEscape}, the bits above the lowest 64, and the lowest 64 bits, as signed numbers.
 * Versions that support only 64-bit sums reject it.
 */
public final class Sums {
  private static final int MAX_BITS = 2 * Long.SIZE - 1;

  private Sums() {}

  /** Adds an amount to a sum. */
  public static Number plus(Number sum, long amount) {
    if (sum instanceof Long small) {
      long total = small + amount;
      boolean isExact = ((small ^ total) & (amount ^ total)) >= 0;
      return isExact ? (Number) total : exact(small).add(exact(amount));
    }
    BigInteger total = ((BigInteger) sum).add(exact(amount));
    return fits(total) ? (Number) total.longValue() : total;
  }

  /**
   * The value of a sum for readers.
   *
   * @param what what is summed, such as {@code counter}
   * @throws LimitExceededException if the sum does not fit a {@code long}
   */
  public static long value(String what, Number sum) {
    if (sum instanceof Long small) {
      return small;
    }
    throw new LimitExceededException(
        "%s: the sum is %,d, but readers can only get values from -2^63 to 2^63-1; the stored sum stays exact: bring it back into the range by adding the opposite amount"
            .formatted(what, sum),
        (BigInteger) sum);
  }

  private static BigInteger exact(long number) {
    return BigInteger.valueOf(number);
  }

  private static boolean fits(BigInteger sum) {
    return sum.bitLength() < Long.SIZE;
  }

  public static void write(Number sum, Encoder out) {
    if (sum instanceof BigInteger large) {
      out.writeEscape();
      out.writeSigned(large.shiftRight(Long.SIZE).longValueExact());
    }
    out.writeSigned(sum.longValue());
  }

  public static Number read(Decoder in) {
    if (!in.readEscape()) {
      return in.readSigned();
    }
    BigInteger high = exact(in.readSigned()).shiftLeft(Long.SIZE);
    BigInteger sum = high.add(new BigInteger(Long.toUnsignedString(in.readSigned())));
    if (fits(sum) || sum.bitLength() > MAX_BITS) {
      throw new FormatException(
          "a sum of two numbers must exceed 64 bits and have at most 128: " + sum);
    }
    return sum;
  }
}
