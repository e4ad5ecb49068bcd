package io.github.stablecut.sql;

import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Refuses dates, times and intervals in JSON and maps, and intervals in arrays, where Calcite shows
 * numbers of days or milliseconds. Confined to one thread.
 */
final class HiddenTimes extends QueryRewrite {
  private HiddenTimes(RelNode query) {
    super(query);
  }

  static RelNode of(RelNode query) {
    for (RelDataTypeField column : query.getRowType().getFieldList()) {
      check(isHidden(column.getType()));
    }
    return query.accept(new HiddenTimes(query));
  }

  private static void check(boolean isHidden) {
    if (isHidden) {
      throw new SqlException(
          "a date, time or interval would be shown as a number here: cast it to VARCHAR");
    }
  }

  private static boolean isHidden(RelDataType type) {
    @Nullable RelDataType element = type.getComponentType();
    return type.getSqlTypeName() == SqlTypeName.MAP
        ? isOfTimes(type)
        : element != null
            && (SqlTypeName.INTERVAL_TYPES.contains(element.getSqlTypeName()) || isHidden(element));
  }

  private static boolean isOfTimes(@Nullable RelDataType type) {
    return type != null
        && (SqlTypeName.DATETIME_TYPES.contains(type.getSqlTypeName())
            || SqlTypeName.INTERVAL_TYPES.contains(type.getSqlTypeName())
            || isOfTimes(type.getComponentType())
            || isOfTimes(type.getKeyType())
            || isOfTimes(type.getValueType()));
  }

  private static void check(SqlOperator operator, List<RelDataType> operands) {
    check(
        operator.getName().startsWith("JSON_")
            && operands.stream().anyMatch(HiddenTimes::isOfTimes));
  }

  @Override
  RexNode rewritten(RexCall call) {
    check(call.getOperator(), call.getOperands().stream().map(RexNode::getType).toList());
    return call;
  }

  @Override
  public RelNode visit(RelNode other) {
    if (other instanceof LogicalAggregate aggregate) {
      List<RelDataTypeField> columns = aggregate.getInput().getRowType().getFieldList();
      for (AggregateCall call : aggregate.getAggCallList()) {
        check(
            call.getAggregation(),
            call.getArgList().stream().map(column -> columns.get(column).getType()).toList());
      }
    }
    return super.visit(other);
  }
}
