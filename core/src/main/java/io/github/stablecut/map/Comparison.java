package io.github.stablecut.map;

import java.util.Objects;
import java.util.Optional;

/**
 * A comparison of a column with a value. A column without value only {@link Operator#IS_NULL is
 * null}: all other comparisons fail, {@link Operator#NOT_EQUAL} too. Immutable.
 *
 * @param value empty for {@link Operator#IS_NULL} and {@link Operator#IS_NOT_NULL}
 */
public record Comparison(String column, Operator operator, Optional<Object> value) {
  /** How a column is compared. */
  public enum Operator {
    /** Is the value. */
    EQUAL,
    /** Is another value. */
    NOT_EQUAL,
    /** Is below the value. */
    LESS,
    /** Is the value or below. */
    AT_MOST,
    /** Is above the value. */
    GREATER,
    /** Is the value or above. */
    AT_LEAST,
    /** Has no value. */
    IS_NULL,
    /** Has a value. */
    IS_NOT_NULL
  }

  /** Checks that there is a value if there has to be one. */
  public Comparison {
    Objects.requireNonNull(column, "column");
    Objects.requireNonNull(operator, "operator");
    Objects.requireNonNull(value, "value");
    boolean needsNone = operator == Operator.IS_NULL || operator == Operator.IS_NOT_NULL;
    if (needsNone == value.isPresent()) {
      throw new IllegalArgumentException(
          needsNone
              ? operator + " compares with no value"
              : operator + " compares with a value: use isNull or isNotNull for none");
    }
  }

  /** The column is a value. */
  public static Comparison equal(String column, Object value) {
    return new Comparison(column, Operator.EQUAL, Optional.of(value));
  }

  /** The column is another value. */
  public static Comparison notEqual(String column, Object value) {
    return new Comparison(column, Operator.NOT_EQUAL, Optional.of(value));
  }

  /** The column is below a value. */
  public static Comparison less(String column, Object value) {
    return new Comparison(column, Operator.LESS, Optional.of(value));
  }

  /** The column is a value or below. */
  public static Comparison atMost(String column, Object value) {
    return new Comparison(column, Operator.AT_MOST, Optional.of(value));
  }

  /** The column is above a value. */
  public static Comparison greater(String column, Object value) {
    return new Comparison(column, Operator.GREATER, Optional.of(value));
  }

  /** The column is a value or above. */
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
