package io.github.stablecut.sql;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexWindow;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * Compares floating-point numbers in the order of tables, in which NaN equals itself and is greater
 * than every other number, by mapping them to whole numbers of the same order. Calcite sorts and
 * groups in this order, but compares as Java does, and simplifies {@code x = x} and {@code NOT (x >
 * y)} as if NaN did not exist. Confined to one thread.
 */
final class FloatOrder extends QueryRewrite {
  private static final SqlFunction KEY = function(SqlArithmetic.class, "orderKey");
  private static final SqlFunction NUMBER = function(SqlArithmetic.class, "numberOfKey");

  private FloatOrder(RelNode query) {
    super(query);
  }

  static RelNode of(RelNode query) {
    return query.accept(new FloatOrder(query));
  }

  private static boolean isFloat(RelDataType type) {
    return SqlTypeName.APPROX_TYPES.contains(type.getSqlTypeName());
  }

  private RelDataType type(SqlTypeName name, boolean isNullable) {
    RelDataTypeFactory types = nodes.getTypeFactory();
    return types.createTypeWithNullability(types.createSqlType(name), isNullable);
  }

  private RexNode key(RexNode number) {
    boolean isNullable = number.getType().isNullable();
    RexNode wide = nodes.makeCast(type(SqlTypeName.DOUBLE, isNullable), number);
    return nodes.makeCall(type(SqlTypeName.BIGINT, isNullable), KEY, List.of(wide));
  }

  private List<RexNode> keys(RexCall call) {
    return call.getOperands().stream().map(this::key).toList();
  }

  private RexNode number(RelDataType type, RexNode key) {
    RelDataType wide = type(SqlTypeName.DOUBLE, type.isNullable());
    return nodes.makeCast(type, nodes.makeCall(wide, NUMBER, List.of(key)));
  }

  @Override
  RexNode rewritten(RexCall call) {
    boolean compares =
        SqlKind.COMPARISON.contains(call.getKind())
            || call.isA(SqlKind.IS_DISTINCT_FROM)
            || call.isA(SqlKind.IS_NOT_DISTINCT_FROM);
    if (compares
        && call.getOperands().stream()
            .anyMatch(operand -> isFloat(operand.getType()) && !(operand instanceof RexLiteral))) {
      return nodes.makeCall(call.getType(), call.getOperator(), keys(call));
    }
    boolean chooses = call.isA(SqlKind.GREATEST_PG) || call.isA(SqlKind.LEAST_PG);
    return chooses && isFloat(call.getType())
        ? number(
            call.getType(),
            nodes.makeCall(
                type(SqlTypeName.BIGINT, call.getType().isNullable()),
                call.getOperator(),
                keys(call)))
        : call;
  }

  private static boolean isExtreme(SqlKind kind, RelDataType type) {
    return (kind == SqlKind.MIN || kind == SqlKind.MAX) && isFloat(type);
  }

  @Override
  RexNode rewrittenWindow(RexOver over) {
    if (!isExtreme(over.getAggOperator().getKind(), over.getType())) {
      return over;
    }
    RexWindow window = over.getWindow();
    return number(
        over.getType(),
        nodes.makeOver(
            type(SqlTypeName.BIGINT, over.getType().isNullable()),
            over.getAggOperator(),
            keys(over),
            window.partitionKeys,
            window.orderKeys,
            window.getLowerBound(),
            window.getUpperBound(),
            window.getExclude(),
            window.isRows(),
            true,
            false,
            over.isDistinct(),
            over.ignoreNulls()));
  }

  @Override
  public RelNode visit(RelNode other) {
    RelNode query = super.visit(other);
    return query instanceof LogicalAggregate aggregate
            && aggregate.getAggCallList().stream().anyMatch(FloatOrder::isExtreme)
        ? extremes(aggregate)
        : query;
  }

  private static boolean isExtreme(AggregateCall call) {
    return isExtreme(call.getAggregation().getKind(), call.getType());
  }

  /** An aggregate that compares keys and converts its results back to numbers. */
  private RelNode extremes(LogicalAggregate aggregate) {
    RelNode input = aggregate.getInput();
    List<RexNode> columns = new ArrayList<>(nodes.identityProjects(input.getRowType()));
    List<AggregateCall> calls = new ArrayList<>();
    for (AggregateCall call : aggregate.getAggCallList()) {
      if (isExtreme(call)) {
        columns.add(key(columns.get(call.getArgList().get(0))));
        calls.add(ofKey(call, columns.size() - 1));
      } else {
        calls.add(call);
      }
    }
    RelNode project =
        LogicalProject.create(
            input, List.of(), columns, (List<String>) null, aggregate.getVariablesSet());
    RelNode keys =
        aggregate.copy(
            aggregate.getTraitSet(),
            project,
            aggregate.getGroupSet(),
            aggregate.getGroupSets(),
            calls);
    List<RexNode> shown = new ArrayList<>(nodes.identityProjects(keys.getRowType()));
    for (int i = 0; i < calls.size(); i++) {
      AggregateCall call = aggregate.getAggCallList().get(i);
      if (isExtreme(call)) {
        int column = aggregate.getGroupCount() + i;
        shown.set(column, number(call.getType(), shown.get(column)));
      }
    }
    return LogicalProject.create(
        keys,
        List.of(),
        shown,
        aggregate.getRowType().getFieldNames(),
        aggregate.getVariablesSet());
  }

  private AggregateCall ofKey(AggregateCall call, int column) {
    return AggregateCall.create(
        call.getParserPosition(),
        call.getAggregation(),
        call.isDistinct(),
        call.isApproximate(),
        call.ignoreNulls(),
        call.rexList,
        List.of(column),
        call.filterArg,
        call.distinctKeys,
        call.collation,
        type(SqlTypeName.BIGINT, call.getType().isNullable()),
        call.getName());
  }
}
