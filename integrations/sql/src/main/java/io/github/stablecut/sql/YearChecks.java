package io.github.stablecut.sql;

import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * Adds checks to the dates and times that a query converts to text, and keeps the milliseconds of
 * times, which Calcite truncates. {@link ShownDates} checks those in results. Runs after {@link
 * CastChecks}, which handles the lengths of texts. Confined to one thread.
 */
final class YearChecks extends QueryRewrite {
  private static final SqlFunction DATE = function(SqlYears.class, "date");
  private static final SqlFunction TIMESTAMP = function(SqlYears.class, "timestamp");
  private static final SqlFunction TIME_TEXT = function(SqlYears.class, "timeText");
  private static final SqlFunction TIMESTAMP_TEXT = function(SqlYears.class, "timestampText");

  /** Functions that Calcite computes in the JVM's time zone, or for any year. */
  private static final Set<String> REFUSED = Set.of("TO_CHAR", "TO_DATE", "TO_TIMESTAMP");

  private YearChecks(RelNode query) {
    super(query);
  }

  static RelNode of(RelNode query) {
    return query.accept(new YearChecks(query));
  }

  /** Adds a check if a value is a date or time. */
  static RexNode checked(RexBuilder nodes, RexNode value) {
    return switch (value.getType().getSqlTypeName()) {
      case DATE -> nodes.makeCall(value.getType(), DATE, List.of(value));
      case TIMESTAMP -> nodes.makeCall(value.getType(), TIMESTAMP, List.of(value));
      default -> value;
    };
  }

  @Override
  RexNode rewritten(RexCall call) {
    if (REFUSED.contains(call.getOperator().getName())) {
      throw new SqlException(
          "%s is not supported: use CAST, EXTRACT or SUBSTRING"
              .formatted(call.getOperator().getName()));
    }
    if (!call.isA(SqlKind.CAST)
        || !SqlTypeName.CHAR_TYPES.contains(call.getType().getSqlTypeName())) {
      return call;
    }
    RexNode value = call.getOperands().get(0);
    return switch (value.getType().getSqlTypeName()) {
      case TIME -> nodes.makeCall(call.getType(), TIME_TEXT, List.of(value));
      case TIMESTAMP -> nodes.makeCall(call.getType(), TIMESTAMP_TEXT, List.of(value));
      default -> call.clone(call.getType(), List.of(checked(nodes, value)));
    };
  }
}
