package io.github.stablecut.cluster.internal.exchange;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.stablecut.crdt.UnreadableValue;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Sums of counters as integers, exact even beyond {@code long}: an import recreates such a sum by
 * several additions.
 */
final class SumJson {
  /** Maximum number of additions of a sum, which suffices for sums below 2^79. */
  private static final int MAX_ADDITIONS = 100_000;

  private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);
  private static final BigInteger MIN = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger MAX_SUM = MAX.multiply(BigInteger.valueOf(MAX_ADDITIONS));

  private SumJson() {}

  /** Writes the sum that a reader sees, or would see if it fitted into a {@code long}. */
  static JsonNode writeSeen(Supplier<? extends Number> sum) {
    return write((Number) UnreadableValue.orSum(sum));
  }

  /**
   * Writes a sum.
   *
   * @param sum a {@code Long} or a {@code BigInteger}
   */
  static JsonNode write(Number sum) {
    return sum instanceof BigInteger large
        ? JsonNodeFactory.instance.numberNode(large)
        : JsonNodeFactory.instance.numberNode(sum.longValue());
  }

  /**
   * Reads a sum.
   *
   * @throws MalformedLineException if the node is not an integer, or too large
   */
  static BigInteger read(JsonNode node, String what) {
    if (!node.isIntegralNumber()) {
      throw new MalformedLineException(what + " is not a whole number");
    }
    BigInteger sum = node.bigIntegerValue();
    if (sum.abs().compareTo(MAX_SUM) > 0) {
      throw new MalformedLineException(
          "%s is beyond %,d times 2^63-1, the maximum of an import".formatted(what, MAX_ADDITIONS));
    }
    return sum;
  }

  /** Divides a sum into amounts; at least one. */
  static List<Long> amounts(BigInteger sum) {
    List<Long> amounts = new ArrayList<>(1);
    BigInteger remaining = sum;
    do {
      BigInteger amount = remaining.min(MAX).max(MIN);
      amounts.add(amount.longValueExact());
      remaining = remaining.subtract(amount);
    } while (remaining.signum() != 0);
    return amounts;
  }
}
