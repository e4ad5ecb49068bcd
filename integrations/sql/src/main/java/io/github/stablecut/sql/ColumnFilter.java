package io.github.stablecut.sql;

import io.github.stablecut.map.Column;
import io.github.stablecut.map.ColumnType;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.util.DateString;

/**
 * A comparison of a column with a value that tables evaluate as SQL does: all comparisons of
 * BOOLEAN, INT, BIGINT and DATE, and equality of texts. In tables, 0.0 differs from -0.0, and times
 * have nanoseconds. Immutable.
 *
 * @param kind of the comparison, with the column on the left
 */
record ColumnFilter(Column column, SqlKind kind, Object value) {
  /** Recognizes a comparison; empty if the node is none of this kind. */
  static Optional<ColumnFilter> of(RexNode node, List<Column> columns) {
    if (!(node instanceof RexCall call) || call.getOperands().size() != 2) {
      return Optional.empty();
    }
    RexNode left = call.getOperands().get(0);
    RexNode right = call.getOperands().get(1);
    if (left instanceof RexInputRef input && right instanceof RexLiteral literal) {
      return of(columns.get(input.getIndex()), call.getKind(), literal);
    }
    if (left instanceof RexLiteral literal && right instanceof RexInputRef input) {
      return of(columns.get(input.getIndex()), call.getKind().reverse(), literal);
    }
    return Optional.empty();
  }

  private static Optional<ColumnFilter> of(Column column, SqlKind kind, RexLiteral literal) {
    boolean isCompared =
        SqlKind.EQUALS == kind
            || (SqlKind.COMPARISON.contains(kind)
                && column.type() != ColumnType.TEXT
                && SqlKind.NOT_EQUALS != kind);
    return isCompared
        ? value(column.type(), literal).map(value -> new ColumnFilter(column, kind, value))
        : Optional.empty();
  }

  private static Optional<Object> value(ColumnType type, RexLiteral literal) {
    SqlTypeFamily family = literal.getTypeName().getFamily();
    return switch (type) {
      case INT, BIGINT -> family == SqlTypeFamily.NUMERIC ? whole(type, literal) : Optional.empty();
      case TEXT ->
          family == SqlTypeFamily.CHARACTER
              ? Optional.ofNullable(literal.getValueAs(String.class))
              : Optional.empty();
      case BOOLEAN ->
          family == SqlTypeFamily.BOOLEAN
              ? Optional.ofNullable(literal.getValueAs(Boolean.class))
              : Optional.empty();
      case DATE ->
          family == SqlTypeFamily.DATE
              ? Optional.ofNullable(literal.getValueAs(DateString.class))
                  .map(date -> LocalDate.ofEpochDay(date.getDaysSinceEpoch()))
              : Optional.empty();
      default -> Optional.empty();
    };
  }

  /** A whole number of the type; empty if it has a fraction or is too large. */
  private static Optional<Object> whole(ColumnType type, RexLiteral literal) {
    BigDecimal number = literal.getValueAs(BigDecimal.class);
    if (number == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          type == ColumnType.INT ? (Object) number.intValueExact() : number.longValueExact());
    } catch (ArithmeticException e) {
      return Optional.empty();
    }
  }
}
