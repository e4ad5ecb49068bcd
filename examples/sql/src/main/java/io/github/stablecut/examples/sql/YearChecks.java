package io.github.stablecut.examples.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * Makes a query check the dates and times that it answers with, or makes texts of. Confined to one
 * thread.
 */
final class YearChecks extends QueryRewrite {
  private static final SqlFunction DATE = function(SqlYears.class, "date");
  private static final SqlFunction TIMESTAMP = function(SqlYears.class, "timestamp");

  private YearChecks(RelNode query) {
    super(query);
  }

  static RelNode of(RelNode query) {
    YearChecks checks = new YearChecks(query);
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

  private RexNode checked(RexNode value) {
    return switch (value.getType().getSqlTypeName()) {
      case DATE -> nodes.makeCall(value.getType(), DATE, List.of(value));
      case TIMESTAMP -> nodes.makeCall(value.getType(), TIMESTAMP, List.of(value));
      default -> value;
    };
  }

  @Override
  RexNode rewritten(RexCall call) {
    return call.isA(SqlKind.CAST)
            && SqlTypeName.CHAR_TYPES.contains(call.getType().getSqlTypeName())
        ? call.clone(call.getType(), List.of(checked(call.getOperands().get(0))))
        : call;
  }
}
