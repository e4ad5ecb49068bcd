package io.github.stablecut.sql;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptLattice;
import org.apache.calcite.plan.RelOptMaterialization;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.metadata.DefaultRelMetadataProvider;
import org.apache.calcite.rel.rules.CoreRules;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexWindow;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.tools.Program;
import org.apache.calcite.tools.Programs;

/**
 * Converts the operands of DECIMAL sums to DECIMAL: Calcite's code adds only numbers of the sum's
 * type. Confined to one thread.
 */
final class WideSums extends QueryRewrite {
  private WideSums(RelNode query) {
    super(query);
  }

  /** The planner of queries: the checks, this, and then Calcite's own steps. */
  static Program program() {
    return Programs.sequence(
        Programs.subQuery(DefaultRelMetadataProvider.INSTANCE),
        (planner, query, traits, materializations, lattices) -> checked(query),
        WideSums::wideSums,
        Programs.hep(
            List.of(CoreRules.AGGREGATE_REDUCE_FUNCTIONS),
            true,
            DefaultRelMetadataProvider.INSTANCE),
        WideSums::wideSums,
        (planner, query, traits, materializations, lattices) -> ExactArithmetic.ofReduced(query),
        Programs.standard());
  }

  private static RelNode checked(RelNode query) {
    return FloatOrder.of(
        YearChecks.of(CastChecks.of(IntervalChecks.of(ExactArithmetic.of(HiddenTimes.of(query))))));
  }

  private static RelNode wideSums(
      RelOptPlanner planner,
      RelNode query,
      RelTraitSet traits,
      List<RelOptMaterialization> materializations,
      List<RelOptLattice> lattices) {
    return query.accept(new WideSums(query));
  }

  @Override
  public RelNode visit(RelNode other) {
    RelNode query = super.visit(other);
    return query instanceof LogicalAggregate aggregate ? wide(aggregate) : query;
  }

  private RelNode wide(LogicalAggregate aggregate) {
    RelNode input = aggregate.getInput();
    List<RexNode> columns = new ArrayList<>(nodes.identityProjects(input.getRowType()));
    List<AggregateCall> calls = new ArrayList<>();
    for (AggregateCall call : aggregate.getAggCallList()) {
      List<Integer> arguments = new ArrayList<>();
      for (int column : call.getArgList()) {
        RexNode argument = columns.get(column);
        RexNode wide = wide(call.getAggregation().getKind(), call.getType(), argument);
        if (wide.equals(argument)) {
          arguments.add(column);
        } else {
          arguments.add(columns.size());
          columns.add(wide);
        }
      }
      calls.add(call.withArgList(arguments));
    }
    if (columns.size() == input.getRowType().getFieldCount()) {
      return aggregate;
    }
    RelNode project =
        LogicalProject.create(
            input, List.of(), columns, (List<String>) null, aggregate.getVariablesSet());
    return aggregate.copy(
        aggregate.getTraitSet(), project, aggregate.getGroupSet(), aggregate.getGroupSets(), calls);
  }

  private RexNode wide(SqlKind kind, RelDataType result, RexNode argument) {
    boolean isSummed =
        kind == SqlKind.SUM
            || kind == SqlKind.SUM0
            || SqlKind.AVG_AGG_FUNCTIONS.contains(kind)
            || SqlKind.COVAR_AVG_AGG_FUNCTIONS.contains(kind);
    return isSummed
            && result.getSqlTypeName() == SqlTypeName.DECIMAL
            && SqlTypeName.INT_TYPES.contains(argument.getType().getSqlTypeName())
        ? decimal(argument)
        : argument;
  }

  @Override
  RexNode rewrittenWindow(RexOver over) {
    SqlKind kind = over.getAggOperator().getKind();
    List<RexNode> wide =
        over.getOperands().stream().map(operand -> wide(kind, over.getType(), operand)).toList();
    RexWindow window = over.getWindow();
    return wide.equals(over.getOperands())
        ? over
        : nodes.makeOver(
            over.getType(),
            over.getAggOperator(),
            wide,
            window.partitionKeys,
            window.orderKeys,
            window.getLowerBound(),
            window.getUpperBound(),
            window.getExclude(),
            window.isRows(),
            true,
            false,
            over.isDistinct(),
            over.ignoreNulls());
  }
}
