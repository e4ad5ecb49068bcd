package io.github.stablecut.cluster.internal.exchange;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.stablecut.crdt.UnreadableValue;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Sums of counters as whole numbers, exact also where no {@code long} holds them: such a sum is
 * made again by several additions.
 */
final class SumJson {
  /** No sum takes more of them: it is below 2^80. */
  private static final int MOST_ADDITIONS = 100_000;

  private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);
  private static final BigInteger MIN = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger MOST = MAX.multiply(BigInteger.valueOf(MOST_ADDITIONS));

  private SumJson() {}

  /** A sum that a reader sees, or would see if a {@code long} could hold it. */
  static JsonNode writeSeen(Supplier<? extends Number> sum) {
    return write((Number) UnreadableValue.orSum(sum));
  }

  /**
   * A sum.
   *
   * @param sum a {@code Long} or a {@code BigInteger}
   */
  static JsonNode write(Number sum) {
    return sum instanceof BigInteger large
        ? JsonNodeFactory.instance.numberNode(large)
        : JsonNodeFactory.instance.numberNode(sum.longValue());
  }

  /**
   * The sum that a node stands for.
   *
   * @throws MalformedLineException if it stands for none, or for one that is too large
   */
  static BigInteger read(JsonNode node, String what) {
    if (!node.isIntegralNumber()) {
      throw new MalformedLineException(what + " is not a whole number");
    }
    BigInteger sum = node.bigIntegerValue();
    if (sum.abs().compareTo(MOST) > 0) {
      throw new MalformedLineException(
          "%s is beyond %,d times 2^63-1, which is more than can be imported"
              .formatted(what, MOST_ADDITIONS));
    }
    return sum;
  }

  /** Amounts that add up to a sum; at least one. */
  static List<Long> amounts(BigInteger sum) {
    List<Long> amounts = new ArrayList<>(1);
    BigInteger left = sum;
    do {
      BigInteger amount = left.min(MAX).max(MIN);
      amounts.add(amount.longValueExact());
      left = left.subtract(amount);
    } while (left.signum() != 0);
    return amounts;
  }
}
