package io.github.stablecut.sql;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * Corrects Calcite's arithmetic. Logarithms to base 10 are exact where they are whole, and DECIMAL
 * division keeps the scale of its type. {@code ABS}, {@code ROUND}, and sums, differences and
 * products of whole numbers within a DECIMAL are checked for overflow. Confined to one thread.
 */
final class ExactArithmetic extends QueryRewrite {
  private static final SqlFunction DIVIDE = function(SqlArithmetic.class, "divide");

  private static final SqlFunction LOG10 = function(SqlArithmetic.class, "log10");

  private static final Map<SqlOperator, SqlOperator> CHECKED =
      Map.of(
          SqlStdOperatorTable.PLUS, SqlStdOperatorTable.CHECKED_PLUS,
          SqlStdOperatorTable.MINUS, SqlStdOperatorTable.CHECKED_MINUS,
          SqlStdOperatorTable.MULTIPLY, SqlStdOperatorTable.CHECKED_MULTIPLY,
          SqlStdOperatorTable.UNARY_MINUS, SqlStdOperatorTable.CHECKED_UNARY_MINUS);

  /** More digits after the decimal point than a DECIMAL has. */
  private static final int FULL = 40;

  private final boolean isFull;

  private ExactArithmetic(RelNode query, boolean isFull) {
    super(query);
    this.isFull = isFull;
  }

  /** Rewrites a query as written: its quotients have the digits of their types. */
  static RelNode of(RelNode query) {
    return query.accept(new ExactArithmetic(query, false));
  }

  /**
   * Rewrites the quotients to which Calcite reduces averages and variances: they keep all digits,
   * and a cast rounds the outermost one.
   */
  static RelNode ofReduced(RelNode query) {
    return query.accept(new ExactArithmetic(query, true));
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

  private RexNode quotient(RexCall call) {
    RexNode dividend = exact(call.getOperands().get(0));
    RexNode divisor = exact(call.getOperands().get(1));
    return quotient(call.getType(), dividend, divisor, isFull ? FULL : call.getType().getScale());
  }

  private RexNode quotient(RelDataType type, RexNode dividend, RexNode divisor, int scale) {
    RexNode digits = nodes.makeExactLiteral(BigDecimal.valueOf(scale));
    return nodes.makeCall(type, DIVIDE, List.of(dividend, divisor, digits));
  }

  /** Averages and variances over windows are such casts before the reduction. */
  private RexNode cast(RexCall call) {
    return call.getType().getSqlTypeName() == SqlTypeName.DECIMAL
            && call.getOperands().get(0) instanceof RexCall quotient
            && quotient.getOperator().equals(DIVIDE)
            && countsWindow(quotient.getOperands().get(1))
        ? call.clone(
            call.getType(),
            List.of(
                quotient(
                    quotient.getType(),
                    quotient.getOperands().get(0),
                    quotient.getOperands().get(1),
                    FULL)))
        : call;
  }

  private static boolean countsWindow(RexNode node) {
    return (node instanceof RexOver over && over.getAggOperator().getKind() == SqlKind.COUNT)
        || (node instanceof RexCall call
            && call.getOperands().stream().anyMatch(ExactArithmetic::countsWindow));
  }

  /** Checks a whole number that is rounded to tens or more, which may exceed its type. */
  private RexNode rounded(RexCall call) {
    List<RexNode> operands = new ArrayList<>(call.getOperands());
    operands.set(0, decimal(operands.get(0)));
    return nodes.makeCast(call.getType(), nodes.makeCall(SqlStdOperatorTable.ROUND, operands));
  }

  private static boolean isLog10(RexCall call) {
    return call.getOperator().equals(SqlStdOperatorTable.LOG10)
        || (call.getOperator().equals(SqlLibraryOperators.LOG_POSTGRES)
            && call.getOperands().size() == 1);
  }

  private RexNode log10(RexCall call) {
    RexNode number = call.getOperands().get(0);
    RelDataTypeFactory types = nodes.getTypeFactory();
    RelDataType wide =
        types.createTypeWithNullability(
            types.createSqlType(SqlTypeName.DOUBLE), number.getType().isNullable());
    return nodes.makeCall(call.getType(), LOG10, List.of(nodes.makeCast(wide, number)));
  }

  @Override
  RexNode rewritten(RexCall call) {
    if (isLog10(call)) {
      return log10(call);
    }
    if (call.isA(SqlKind.CAST)) {
      return cast(call);
    }
    SqlTypeName type = call.getType().getSqlTypeName();
    if (call.getOperator().equals(SqlStdOperatorTable.ABS)
        && SqlTypeName.INT_TYPES.contains(type)) {
      return absolute(call);
    }
    if (call.getOperator().equals(SqlStdOperatorTable.ROUND)
        && SqlTypeName.INT_TYPES.contains(type)) {
      return rounded(call);
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
    return isQuotient ? quotient(call) : call;
  }
}
