package io.github.stablecut.examples.scalardb;

import com.scalar.db.api.ConditionalExpression;
import com.scalar.db.api.DeleteIf;
import com.scalar.db.api.DeleteIfExists;
import com.scalar.db.api.Mutation;
import com.scalar.db.api.MutationCondition;
import com.scalar.db.api.PutIf;
import com.scalar.db.api.PutIfExists;
import com.scalar.db.api.PutIfNotExists;
import com.scalar.db.common.CoreError;
import com.scalar.db.io.Column;
import com.scalar.db.util.ScalarDbUtils;
import io.github.stablecut.map.Comparison;
import io.github.stablecut.map.Delete;
import io.github.stablecut.map.Precondition;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.RecordKey;
import io.github.stablecut.map.SchemaException;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Translates ScalarDB's mutations to those of tables. A mutation of a virtual table becomes one of
 * each of its sources. Confined to one thread.
 */
final class Mutations {
  /**
   * An attribute with the same name as in ScalarDB's JDBC storage. It decides what "is null" means
   * on columns of the right table if that table's row may be missing.
   */
  private static final String IS_NULL_MEANS_MISSING =
      "jdbc-left-outer-virtual-table-put-if-is-null-on-right-columns-conversion-enabled";

  private static final String DELETE_ON_NULL =
      "jdbc-left-outer-virtual-table-delete-if-is-null-on-right-columns-allowed";

  private final TableMap map;
  private final StablecutStorage.Target target;

  Mutations(TableMap map, StablecutStorage.Target target) {
    this.map = map;
    this.target = target;
  }

  List<io.github.stablecut.map.Mutation> of(Mutation mutation) {
    if (target.virtual().isEmpty()) {
      return List.of(
          part(mutation, target.table(), column -> true, condition(mutation, column -> true)));
    }
    VirtualTables.Info info = target.virtual().get();
    Table left = table(info.left());
    Table right = table(info.right());
    Predicate<String> inLeft = column -> left.find(column).isPresent();
    Predicate<String> inRight = column -> right.find(column).isPresent() && !inLeft.test(column);
    return List.of(
        part(mutation, info.left(), inLeft, condition(mutation, inLeft)),
        part(mutation, info.right(), inRight, conditionOfRight(mutation, info, inRight)));
  }

  private Table table(TableName name) {
    return map.table(name)
        .orElseThrow(
            () ->
                new SchemaException(
                    "a source of the virtual table %s does not exist: %s"
                        .formatted(target.table(), name)));
  }

  private static io.github.stablecut.map.Mutation part(
      Mutation mutation, TableName table, Predicate<String> isPart, Precondition condition) {
    RecordKey key =
        new RecordKey(
            table,
            Values.values(mutation.getPartitionKey()),
            mutation.getClusteringKey().map(Values::values).orElse(List.of()));
    if (mutation instanceof com.scalar.db.api.Put put) {
      Map<String, Optional<Object>> values = new LinkedHashMap<>();
      for (Column<?> column : put.getColumns().values()) {
        if (isPart.test(column.getName())) {
          values.put(column.getName(), Values.value(column));
        }
      }
      return new Put(key, values, condition);
    }
    return new Delete(key, condition);
  }

  /** The part of a mutation's condition that concerns some columns. */
  @SuppressWarnings("deprecation") // until 4.0 there is no other way to it
  private static Precondition condition(Mutation mutation, Predicate<String> isPart) {
    Optional<MutationCondition> condition = mutation.getCondition();
    if (condition.isEmpty()) {
      return new Precondition.None();
    }
    MutationCondition given = condition.get();
    if (given instanceof PutIfNotExists) {
      return new Precondition.NotExists();
    }
    if (given instanceof PutIfExists || given instanceof DeleteIfExists) {
      return new Precondition.Exists();
    }
    if (given instanceof PutIf || given instanceof DeleteIf) {
      List<Comparison> comparisons =
          given.getExpressions().stream()
              .filter(expression -> isPart.test(expression.getColumn().getName()))
              .map(Mutations::comparison)
              .toList();
      return comparisons.isEmpty() ? new Precondition.None() : new Precondition.Holds(comparisons);
    }
    throw new IllegalArgumentException("not a condition of a put or delete: " + given);
  }

  /**
   * The condition for the right source. If its row may be missing, existence is no condition, and
   * "is null" means missing.
   */
  private static Precondition conditionOfRight(
      Mutation mutation, VirtualTables.Info info, Predicate<String> inRight) {
    Precondition condition = condition(mutation, inRight);
    if (!info.isOuter()) {
      return condition;
    }
    if (!(condition instanceof Precondition.Holds holds)) {
      return new Precondition.None();
    }
    boolean isAllNull =
        holds.comparisons().stream().allMatch(one -> one.operator() == Comparison.Operator.IS_NULL);
    if (!isAllNull) {
      return condition;
    }
    if (mutation instanceof com.scalar.db.api.Put) {
      return mutation.getAttribute(IS_NULL_MEANS_MISSING).map(Boolean::parseBoolean).orElse(true)
          ? new Precondition.NotExists()
          : condition;
    }
    if (!mutation.getAttribute(DELETE_ON_NULL).map(Boolean::parseBoolean).orElse(false)) {
      throw new IllegalArgumentException(
          CoreError
              .DELETE_IF_IS_NULL_FOR_RIGHT_SOURCE_TABLE_NOT_ALLOWED_FOR_LEFT_OUTER_VIRTUAL_TABLES
              .buildMessage(
                  ScalarDbUtils.getFullTableName(info.getNamespaceName(), info.getTableName())));
    }
    return condition;
  }

  private static Comparison comparison(ConditionalExpression expression) {
    Comparison.Operator operator =
        switch (expression.getOperator()) {
          case EQ -> Comparison.Operator.EQUAL;
          case NE -> Comparison.Operator.NOT_EQUAL;
          case GT -> Comparison.Operator.GREATER;
          case GTE -> Comparison.Operator.AT_LEAST;
          case LT -> Comparison.Operator.LESS;
          case LTE -> Comparison.Operator.AT_MOST;
          case IS_NULL -> Comparison.Operator.IS_NULL;
          case IS_NOT_NULL -> Comparison.Operator.IS_NOT_NULL;
          case LIKE, NOT_LIKE ->
              throw new IllegalArgumentException("not a condition of a mutation: " + expression);
        };
    return new Comparison(
        expression.getColumn().getName(), operator, Values.value(expression.getColumn()));
  }
}
