package io.github.stablecut.sql;

import java.math.BigDecimal;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * Adds checks to a query's casts: NaN is no whole number, all other numbers are rounded in the same
 * way, and the text of a number or date must fit its length. Calcite itself converts NaN to 0 and
 * truncates texts. Confined to one thread.
 */
final class CastChecks extends QueryRewrite {
  private static final SqlFunction FINITE = function(SqlCasts.class, "finite");
  private static final SqlFunction FINITE_REAL = function(SqlCasts.class, "finiteReal");
  private static final SqlFunction WHOLE = function(SqlCasts.class, "whole");
  private static final SqlFunction TEXT = function(SqlCasts.class, "text");

  private CastChecks(RelNode query) {
    super(query);
  }

  static RelNode of(RelNode query) {
    return query.accept(new CastChecks(query));
  }

  @Override
  RexNode rewritten(RexCall call) {
    if (!call.isA(SqlKind.CAST)) {
      return call;
    }
    RexNode operand = call.getOperands().get(0);
    SqlTypeName from = operand.getType().getSqlTypeName();
    SqlTypeName to = call.getType().getSqlTypeName();
    if (SqlTypeName.APPROX_TYPES.contains(from) && SqlTypeName.INT_TYPES.contains(to)) {
      return whole(call, operand);
    }
    if (SqlTypeName.APPROX_TYPES.contains(from) && to == SqlTypeName.DECIMAL) {
      SqlFunction finite = from == SqlTypeName.REAL ? FINITE_REAL : FINITE;
      return call.clone(
          call.getType(), List.of(nodes.makeCall(operand.getType(), finite, List.of(operand))));
    }
    boolean isText =
        SqlTypeName.CHAR_TYPES.contains(to)
            && call.getType().getPrecision() != RelDataType.PRECISION_NOT_SPECIFIED
            && !SqlTypeName.CHAR_TYPES.contains(from)
            && from != SqlTypeName.NULL;
    return isText ? text(call, operand) : call;
  }

  private RexNode whole(RexCall call, RexNode operand) {
    RelDataTypeFactory types = nodes.getTypeFactory();
    RexNode number =
        nodes.makeCast(
            types.createTypeWithNullability(
                types.createSqlType(SqlTypeName.DOUBLE), operand.getType().isNullable()),
            operand);
    return call.clone(
        call.getType(), List.of(nodes.makeCall(number.getType(), WHOLE, List.of(number))));
  }

  private RexNode text(RexCall call, RexNode operand) {
    RelDataTypeFactory types = nodes.getTypeFactory();
    RelDataType all =
        types.createTypeWithCharsetAndCollation(
            types.createSqlType(SqlTypeName.VARCHAR),
            call.getType().getCharset(),
            call.getType().getCollation());
    RexNode whole =
        nodes.makeCast(
            types.createTypeWithNullability(all, operand.getType().isNullable()), operand);
    RexNode length = nodes.makeExactLiteral(BigDecimal.valueOf(call.getType().getPrecision()));
    return call.clone(
        call.getType(), List.of(nodes.makeCall(whole.getType(), TEXT, List.of(whole, length))));
  }
}
