package io.github.stablecut.map;

import java.util.Objects;
import java.util.Optional;

/**
 * A comparison of a column with a value. A column without a value satisfies only {@link
 * Operator#IS_NULL}: all other comparisons fail, including {@link Operator#NOT_EQUAL}. Immutable.
 *
 * @param value empty for {@link Operator#IS_NULL} and {@link Operator#IS_NOT_NULL}
 */
public record Comparison(String column, Operator operator, Optional<Object> value) {
  /** The operator that compares a column with the value. */
  public enum Operator {
    /** Equals the value. */
    EQUAL,
    /** Has a different value. */
    NOT_EQUAL,
    /** Is below the value. */
    LESS,
    /** Is at most the value. */
    AT_MOST,
    /** Is above the value. */
    GREATER,
    /** Is at least the value. */
    AT_LEAST,
    /** Has no value. */
    IS_NULL,
    /** Has a value. */
    IS_NOT_NULL
  }

  /** Checks that a value is present exactly if the operator needs one. */
  public Comparison {
    Objects.requireNonNull(column, "column");
    Objects.requireNonNull(operator, "operator");
    Objects.requireNonNull(value, "value");
    boolean needsNone = operator == Operator.IS_NULL || operator == Operator.IS_NOT_NULL;
    if (needsNone == value.isPresent()) {
      throw new IllegalArgumentException(
          needsNone
              ? operator + " takes no value"
              : operator
                  + " needs a value to compare with: use isNull or isNotNull to compare with null");
    }
  }

  /** The column equals a value. */
  public static Comparison equal(String column, Object value) {
    return new Comparison(column, Operator.EQUAL, Optional.of(value));
  }

  /** The column has a different value. */
  public static Comparison notEqual(String column, Object value) {
    return new Comparison(column, Operator.NOT_EQUAL, Optional.of(value));
  }

  /** The column is below a value. */
  public static Comparison less(String column, Object value) {
    return new Comparison(column, Operator.LESS, Optional.of(value));
  }

  /** The column is at most a value. */
  public static Comparison atMost(String column, Object value) {
    return new Comparison(column, Operator.AT_MOST, Optional.of(value));
  }

  /** The column is above a value. */
  public static Comparison greater(String column, Object value) {
    return new Comparison(column, Operator.GREATER, Optional.of(value));
  }

  /** The column is at least a value. */
  public static Comparison atLeast(String column, Object value) {
    return new Comparison(column, Operator.AT_LEAST, Optional.of(value));
  }

  /** The column has no value. */
  public static Comparison isNull(String column) {
    return new Comparison(column, Operator.IS_NULL, Optional.empty());
  }

  /** The column has a value. */
  public static Comparison isNotNull(String column) {
    return new Comparison(column, Operator.IS_NOT_NULL, Optional.empty());
  }
}
