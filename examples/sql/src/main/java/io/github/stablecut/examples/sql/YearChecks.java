package io.github.stablecut.examples.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
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
 * Makes a query check the dates and times that it answers with, or makes texts of. Confined to one
 * thread.
 */
final class YearChecks extends RelHomogeneousShuttle {
  private static final SqlFunction DATE = function("date");
  private static final SqlFunction TIMESTAMP = function("timestamp");

  private final RexBuilder nodes;
  private final Casts casts = new Casts();

  private YearChecks(RexBuilder nodes) {
    this.nodes = nodes;
  }

  static RelNode of(RelNode query) {
    YearChecks checks = new YearChecks(query.getCluster().getRexBuilder());
    return checks.answer(query.accept(checks));
  }

  private RelNode answer(RelNode query) {
    List<RexNode> columns = new ArrayList<>();
    boolean isChecked = false;
    for (RexNode column : nodes.identityProjects(query.getRowType())) {
      RexNode checked = checked(column);
      isChecked |= !checked.equals(column);
      columns.add(checked);
    }
    return isChecked
        ? LogicalProject.create(query, List.of(), columns, query.getRowType(), Set.of())
        : query;
  }

  @Override
  public RelNode visit(RelNode other) {
    return visitChildren(other).accept(casts);
  }

  private RexNode checked(RexNode value) {
    return switch (value.getType().getSqlTypeName()) {
      case DATE -> nodes.makeCall(value.getType(), DATE, List.of(value));
      case TIMESTAMP -> nodes.makeCall(value.getType(), TIMESTAMP, List.of(value));
      default -> value;
    };
  }

  private static SqlFunction function(String method) {
    return new SqlUserDefinedFunction(
        new SqlIdentifier("SQL_" + method, SqlParserPos.ZERO),
        SqlKind.OTHER_FUNCTION,
        ReturnTypes.ARG0,
        null,
        null,
        ScalarFunctionImpl.create(SqlYears.class, method));
  }

  private final class Casts extends RexShuttle {
    @Override
    public RexNode visitSubQuery(RexSubQuery subQuery) {
      return ((RexSubQuery) super.visitSubQuery(subQuery))
          .clone(subQuery.rel.accept(YearChecks.this));
    }

    @Override
    public RexNode visitCall(RexCall call) {
      RexNode visited = super.visitCall(call);
      return visited.isA(SqlKind.CAST)
              && SqlTypeName.CHAR_TYPES.contains(visited.getType().getSqlTypeName())
          ? ((RexCall) visited)
              .clone(visited.getType(), List.of(checked(((RexCall) visited).getOperands().get(0))))
          : visited;
    }
  }
}
