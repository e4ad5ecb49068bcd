package io.github.stablecut.sql;

import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.schema.impl.ScalarFunctionImpl;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.validate.SqlUserDefinedFunction;

/**
 * Rewrites the expressions of a query, including its subqueries, from the inside out. Confined to
 * one thread.
 */
abstract class QueryRewrite extends RelHomogeneousShuttle {
  final RexBuilder nodes;
  private final Expressions expressions = new Expressions();

  QueryRewrite(RelNode query) {
    this.nodes = query.getCluster().getRexBuilder();
  }

  /** Rewrites a call, whose operands are rewritten already. */
  RexNode rewritten(RexCall call) {
    return call;
  }

  /** Refuses a literal that a query must not have. */
  void check(RexLiteral literal) {}

  /** Rewrites an aggregate over a window. */
  RexNode rewrittenWindow(RexOver over) {
    return over;
  }

  @Override
  public RelNode visit(RelNode other) {
    if (other instanceof Values values) {
      values.getTuples().forEach(row -> row.forEach(this::check));
    }
    return visitChildren(other).accept(expressions);
  }

  /** Converts a whole number to a DECIMAL with all digits. */
  final RexNode decimal(RexNode number) {
    RelDataTypeFactory types = nodes.getTypeFactory();
    RelDataType decimal =
        types.createSqlType(
            SqlTypeName.DECIMAL, types.getTypeSystem().getMaxPrecision(SqlTypeName.DECIMAL), 0);
    return nodes.makeCast(
        types.createTypeWithNullability(decimal, number.getType().isNullable()), number);
  }

  /** An SQL function that calls a static method and has the type of its first argument. */
  static SqlFunction function(Class<?> in, String method) {
    return new SqlUserDefinedFunction(
        new SqlIdentifier("SQL_" + method, SqlParserPos.ZERO),
        SqlKind.OTHER_FUNCTION,
        ReturnTypes.ARG0,
        null,
        null,
        ScalarFunctionImpl.create(in, method));
  }

  private final class Expressions extends RexShuttle {
    @Override
    public RexNode visitSubQuery(RexSubQuery subQuery) {
      return ((RexSubQuery) super.visitSubQuery(subQuery))
          .clone(subQuery.rel.accept(QueryRewrite.this));
    }

    @Override
    public RexNode visitCall(RexCall call) {
      RexNode visited = super.visitCall(call);
      return visited instanceof RexCall same ? rewritten(same) : visited;
    }

    @Override
    public RexNode visitLiteral(RexLiteral literal) {
      check(literal);
      return literal;
    }

    @Override
    public RexNode visitOver(RexOver over) {
      RexNode visited = super.visitOver(over);
      return visited instanceof RexOver same ? rewrittenWindow(same) : visited;
    }
  }
}
