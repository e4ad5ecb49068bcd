package io.github.stablecut.sql;

import java.math.BigDecimal;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Checks interval arithmetic, which Calcite lets overflow. Intervals must be short enough for a sum
 * of two, for a sum with a date of SQL's range, and to be shown; and the date that an interval is
 * added to must be in that range. Confined to one thread.
 */
final class IntervalChecks extends QueryRewrite {
  private static final SqlFunction MONTHS = function(SqlIntervals.class, "months");
  private static final SqlFunction MILLIS = function(SqlIntervals.class, "millis");
  private static final SqlFunction MONTHS_TIMES = function(SqlIntervals.class, "monthsTimes");
  private static final SqlFunction MILLIS_TIMES = function(SqlIntervals.class, "millisTimes");

  private static final long MAX_MONTHS = 20_000 * 12;
  private static final long MAX_MILLIS = 20_000L * 366 * 24 * 60 * 60 * 1_000;

  /** Calcite shows at most as many minutes or seconds as an {@code int} holds. */
  private static final long MAX_SECONDS = Integer.MAX_VALUE * 1_000L;

  private static final long MAX_MINUTES = MAX_SECONDS * 60;

  private static final Set<SqlKind> ARITHMETIC =
      Set.of(
          SqlKind.CAST,
          SqlKind.PLUS,
          SqlKind.MINUS,
          SqlKind.MINUS_PREFIX,
          SqlKind.DIVIDE,
          SqlKind.CHECKED_PLUS,
          SqlKind.CHECKED_MINUS,
          SqlKind.CHECKED_MINUS_PREFIX,
          SqlKind.CHECKED_DIVIDE);

  private IntervalChecks(RelNode query) {
    super(query);
  }

  static RelNode of(RelNode query) {
    return query.accept(new IntervalChecks(query));
  }

  private static boolean isInterval(RelDataType type) {
    return SqlTypeName.INTERVAL_TYPES.contains(type.getSqlTypeName());
  }

  private static boolean isOfMonths(RelDataType type) {
    return SqlTypeName.YEAR_INTERVAL_TYPES.contains(type.getSqlTypeName());
  }

  private static long max(RelDataType type) {
    if (isOfMonths(type)) {
      return MAX_MONTHS;
    }
    return switch (type.getSqlTypeName()) {
      case INTERVAL_SECOND -> MAX_SECONDS;
      case INTERVAL_MINUTE, INTERVAL_MINUTE_SECOND -> MAX_MINUTES;
      default -> MAX_MILLIS;
    };
  }

  @Override
  void check(RexLiteral literal) {
    if (isInterval(literal.getType())) {
      @Nullable BigDecimal value = literal.getValueAs(BigDecimal.class);
      if (value != null) {
        SqlIntervals.checked(value.longValueExact(), max(literal.getType()));
      }
    }
  }

  /** The maximum interval of a type, as an argument of a check. */
  private RexNode greatest(RelDataType type) {
    return nodes.makeBigintLiteral(BigDecimal.valueOf(max(type)));
  }

  @Override
  RexNode rewritten(RexCall call) {
    boolean isInterval = isInterval(call.getType());
    if (isInterval && (call.isA(SqlKind.TIMES) || call.isA(SqlKind.CHECKED_TIMES))) {
      return product(call);
    }
    if (isInterval
        && (call.isA(SqlKind.CAST) || call.isA(SqlKind.REINTERPRET))
        && !isInterval(call.getOperands().get(0).getType())) {
      throw new SqlException("casts to intervals are not supported: write x * INTERVAL '1' DAY");
    }
    boolean isOfIntervals =
        isInterval
            || call.getOperands().stream().anyMatch(operand -> isInterval(operand.getType()));
    if (!isOfIntervals || !ARITHMETIC.contains(call.getKind())) {
      return call;
    }
    if (call.isA(SqlKind.DIVIDE) || call.isA(SqlKind.CHECKED_DIVIDE)) {
      checkWhole(call.getOperands().get(1));
    }
    if (isInterval && types(call).containsAll(List.of(SqlTypeName.DATE, SqlTypeName.TIMESTAMP))) {
      throw new SqlException(
          "there is no interval between a DATE and a TIMESTAMP: cast it to TIMESTAMP");
    }
    RexNode checked =
        call.clone(
            call.getType(),
            call.getOperands().stream()
                .map(operand -> YearChecks.checked(nodes, operand))
                .toList());
    return isInterval
        ? nodes.makeCall(
            call.getType(),
            isOfMonths(call.getType()) ? MONTHS : MILLIS,
            List.of(checked, greatest(call.getType())))
        : checked;
  }

  private RexNode product(RexCall call) {
    RexNode first = call.getOperands().get(0);
    RexNode second = call.getOperands().get(1);
    boolean isFirst = isInterval(first.getType());
    RexNode interval = isFirst ? first : second;
    RexNode factor = isFirst ? second : first;
    checkWhole(factor);
    RelDataType whole =
        nodes
            .getTypeFactory()
            .createTypeWithNullability(
                nodes.getTypeFactory().createSqlType(SqlTypeName.BIGINT),
                factor.getType().isNullable());
    return nodes.makeCall(
        call.getType(),
        isOfMonths(call.getType()) ? MONTHS_TIMES : MILLIS_TIMES,
        List.of(interval, nodes.makeCast(whole, factor), greatest(call.getType())));
  }

  private static List<SqlTypeName> types(RexCall call) {
    return call.getOperands().stream().map(operand -> operand.getType().getSqlTypeName()).toList();
  }

  private static void checkWhole(RexNode factor) {
    if (!SqlTypeName.INT_TYPES.contains(factor.getType().getSqlTypeName())) {
      throw new SqlException(
          "an interval can be multiplied and divided by whole numbers only: cast to BIGINT");
    }
  }
}
