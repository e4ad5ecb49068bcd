package io.github.stablecut.crdt;

import io.github.stablecut.error.LimitExceededException;
import java.math.BigInteger;

/**
 * The sums of counters, which are exact however large they get: a {@code Long} where that holds it,
 * else a {@code BigInteger}, so that equal sums are equal objects. A reader sees a {@code long}, or
 * is told that it can't hold the sum.
 *
 * <p>Encoded, a sum that a {@code long} holds is one number. Another one is {@link
 * Encoder#writeEscape}, its bits above the lowest 64, and those, as signed numbers: programs that
 * know sums of 64 bits only refuse it.
 */
final class Sums {
  private static final int MAX_BITS = 2 * Long.SIZE - 1;

  private Sums() {}

  /** A sum and an amount. */
  static Number plus(Number sum, long amount) {
    if (sum instanceof Long small) {
      long both = small + amount;
      boolean isExact = ((small ^ both) & (amount ^ both)) >= 0;
      return isExact ? (Number) both : exact(small).add(exact(amount));
    }
    BigInteger both = ((BigInteger) sum).add(exact(amount));
    return fits(both) ? (Number) both.longValue() : both;
  }

  /**
   * What a reader sees of a sum.
   *
   * @param what is the sum, such as {@code counter}
   * @throws LimitExceededException if a {@code long} can't hold it
   */
  static long value(String what, Number sum) {
    if (sum instanceof Long small) {
      return small;
    }
    throw new LimitExceededException(
        "%s: the sum is %,d, and what can be read is between -2^63 and 2^63-1; the sum is kept and stays exact: bring it back by counting the other way"
            .formatted(what, sum),
        (BigInteger) sum);
  }

  private static BigInteger exact(long number) {
    return BigInteger.valueOf(number);
  }

  private static boolean fits(BigInteger sum) {
    return sum.bitLength() < Long.SIZE;
  }

  static void write(Number sum, Encoder out) {
    if (sum instanceof BigInteger large) {
      out.writeEscape();
      out.writeSigned(large.shiftRight(Long.SIZE).longValueExact());
    }
    out.writeSigned(sum.longValue());
  }

  static Number read(Decoder in) {
    if (!in.readEscape()) {
      return in.readSigned();
    }
    BigInteger high = exact(in.readSigned()).shiftLeft(Long.SIZE);
    BigInteger sum = high.add(new BigInteger(Long.toUnsignedString(in.readSigned())));
    if (fits(sum) || sum.bitLength() > MAX_BITS) {
      throw new FormatException("a sum between -2^63 and 2^63-1 is one number: " + sum);
    }
    return sum;
  }
}
