package io.github.stablecut.examples.sql;

import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.schema.impl.ScalarFunctionImpl;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.validate.SqlUserDefinedFunction;

/**
 * Divides DECIMAL with all its digits, and checks {@code ABS} for overflow, and sums, differences
 * and products of whole numbers, which Calcite does not check where they are a part of a DECIMAL.
 * Confined to one thread.
 */
final class ExactArithmetic extends RelHomogeneousShuttle {
  private static final SqlFunction DIVIDE =
      new SqlUserDefinedFunction(
          new SqlIdentifier("SQL_divide", SqlParserPos.ZERO),
          SqlKind.OTHER_FUNCTION,
          ReturnTypes.ARG0,
          null,
          null,
          ScalarFunctionImpl.create(SqlArithmetic.class, "divide"));

  private static final Map<SqlOperator, SqlOperator> CHECKED =
      Map.of(
          SqlStdOperatorTable.PLUS, SqlStdOperatorTable.CHECKED_PLUS,
          SqlStdOperatorTable.MINUS, SqlStdOperatorTable.CHECKED_MINUS,
          SqlStdOperatorTable.MULTIPLY, SqlStdOperatorTable.CHECKED_MULTIPLY,
          SqlStdOperatorTable.UNARY_MINUS, SqlStdOperatorTable.CHECKED_UNARY_MINUS);

  private final RexBuilder nodes;
  private final Calls calls = new Calls();

  private ExactArithmetic(RexBuilder nodes) {
    this.nodes = nodes;
  }

  static RelNode of(RelNode query) {
    return query.accept(new ExactArithmetic(query.getCluster().getRexBuilder()));
  }

  @Override
  public RelNode visit(RelNode other) {
    return visitChildren(other).accept(calls);
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

  private RexNode decimal(RexNode operand) {
    RelDataType type = operand.getType();
    if (type.getSqlTypeName() == SqlTypeName.DECIMAL) {
      return operand;
    }
    RelDataTypeFactory types = nodes.getTypeFactory();
    RelDataType decimal =
        types.createSqlType(
            SqlTypeName.DECIMAL, types.getTypeSystem().getMaxPrecision(SqlTypeName.DECIMAL), 0);
    return nodes.makeCast(types.createTypeWithNullability(decimal, type.isNullable()), operand);
  }

  private final class Calls extends RexShuttle {
    @Override
    public RexNode visitSubQuery(RexSubQuery subQuery) {
      return ((RexSubQuery) super.visitSubQuery(subQuery))
          .clone(subQuery.rel.accept(ExactArithmetic.this));
    }

    @Override
    public RexNode visitCall(RexCall call) {
      RexNode visited = super.visitCall(call);
      if (!(visited instanceof RexCall done)) {
        return visited;
      }
      SqlTypeName type = done.getType().getSqlTypeName();
      if (done.getOperator().equals(SqlStdOperatorTable.ABS)
          && SqlTypeName.INT_TYPES.contains(type)) {
        return absolute(done);
      }
      SqlOperator checked = CHECKED.get(done.getOperator());
      if (checked != null && SqlTypeName.INT_TYPES.contains(type)) {
        return nodes.makeCall(done.getType(), checked, done.getOperands());
      }
      boolean isQuotient =
          (done.isA(SqlKind.DIVIDE) || done.isA(SqlKind.CHECKED_DIVIDE))
              && type == SqlTypeName.DECIMAL
              && done.getOperands().stream()
                  .allMatch(
                      operand ->
                          SqlTypeName.EXACT_TYPES.contains(operand.getType().getSqlTypeName()));
      return isQuotient
          ? nodes.makeCall(
              done.getType(),
              DIVIDE,
              done.getOperands().stream().map(ExactArithmetic.this::decimal).toList())
          : done;
    }
  }
}
