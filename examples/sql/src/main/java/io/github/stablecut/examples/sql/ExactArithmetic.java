package io.github.stablecut.examples.sql;

import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * Divides DECIMAL with all its digits, and checks {@code ABS} for overflow, and sums, differences
 * and products of whole numbers, which Calcite does not check where they are a part of a DECIMAL.
 * Confined to one thread.
 */
final class ExactArithmetic extends QueryRewrite {
  private static final SqlFunction DIVIDE = function(SqlArithmetic.class, "divide");

  private static final Map<SqlOperator, SqlOperator> CHECKED =
      Map.of(
          SqlStdOperatorTable.PLUS, SqlStdOperatorTable.CHECKED_PLUS,
          SqlStdOperatorTable.MINUS, SqlStdOperatorTable.CHECKED_MINUS,
          SqlStdOperatorTable.MULTIPLY, SqlStdOperatorTable.CHECKED_MULTIPLY,
          SqlStdOperatorTable.UNARY_MINUS, SqlStdOperatorTable.CHECKED_UNARY_MINUS);

  private ExactArithmetic(RelNode query) {
    super(query);
  }

  static RelNode of(RelNode query) {
    return query.accept(new ExactArithmetic(query));
  }

  private RexNode absolute(RexCall call) {
    RexNode value = call.getOperands().get(0);
    RelDataType type = call.getType();
    return nodes.makeCall(
        type,
        SqlStdOperatorTable.CASE,
        List.of(
            nodes.makeCall(
                SqlStdOperatorTable.LESS_THAN,
                value,
                nodes.makeZeroLiteral(
                    nodes.getTypeFactory().createTypeWithNullability(value.getType(), false))),
            nodes.makeCall(type, SqlStdOperatorTable.CHECKED_UNARY_MINUS, List.of(value)),
            value));
  }

  private RexNode exact(RexNode operand) {
    return operand.getType().getSqlTypeName() == SqlTypeName.DECIMAL ? operand : decimal(operand);
  }

  @Override
  RexNode rewritten(RexCall call) {
    SqlTypeName type = call.getType().getSqlTypeName();
    if (call.getOperator().equals(SqlStdOperatorTable.ABS)
        && SqlTypeName.INT_TYPES.contains(type)) {
      return absolute(call);
    }
    SqlOperator checked = CHECKED.get(call.getOperator());
    if (checked != null && SqlTypeName.INT_TYPES.contains(type)) {
      return nodes.makeCall(call.getType(), checked, call.getOperands());
    }
    boolean isQuotient =
        (call.isA(SqlKind.DIVIDE) || call.isA(SqlKind.CHECKED_DIVIDE))
            && type == SqlTypeName.DECIMAL
            && call.getOperands().stream()
                .allMatch(
                    operand ->
                        SqlTypeName.EXACT_TYPES.contains(operand.getType().getSqlTypeName()));
    return isQuotient
        ? nodes.makeCall(
            call.getType(), DIVIDE, call.getOperands().stream().map(this::exact).toList())
        : call;
  }
}
