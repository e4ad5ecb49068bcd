package io.github.stablecut.map.internal;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.Mutation;
import io.github.stablecut.map.Precondition;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.Computed;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordEntry;
import io.github.stablecut.map.storage.RecordId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Mutations that are applied together. Confined to its thread.
 *
 * <p>The index entries that a mutation removes depend on the records found, but a computation has
 * to name all records in advance. The entries are therefore predicted from a recent read. If the
 * records have changed since, the batch must be retried.
 */
final class MutationBatch {
  /** The outcome of an attempt. */
  enum Outcome {
    MADE,
    REFUSED,
    OUTDATED
  }

  private record Step(RecordId id, Schema schema, Mutation mutation) {}

  private final List<Step> steps = new ArrayList<>();

  /**
   * Checks the mutations.
   *
   * @param schemas the schemas of all of their tables
   * @throws IllegalArgumentException if a value is not of its column's type, or a mutation sets a
   *     column of the key
   */
  MutationBatch(List<? extends Mutation> mutations, Map<TableName, Schema> schemas) {
    for (Mutation mutation : mutations) {
      Schema schema = Optional.ofNullable(schemas.get(mutation.key().table())).orElseThrow();
      if (mutation.condition() instanceof Precondition.Holds holds) {
        schema.check(holds.comparisons());
      }
      if (mutation instanceof Put put) {
        cells(schema, put);
      }
      steps.add(new Step(schema.id(mutation.key()), schema, mutation));
    }
  }

  @CanIgnoreReturnValue
  private static Map<Integer, Optional<Bytes>> cells(Schema schema, Put put) {
    Map<Integer, Optional<Bytes>> cells = new HashMap<>();
    put.values()
        .forEach(
            (column, value) ->
                cells.put(
                    schema.number(column),
                    value.map(given -> Schema.cell(schema.column(column), given))));
    return cells;
  }

  /** Returns the records of the mutations. */
  Set<RecordId> records() {
    Set<RecordId> ids = new LinkedHashSet<>();
    steps.forEach(step -> ids.add(step.id));
    return ids;
  }

  /**
   * Returns whether the batch does the same whatever the records contain: it has no conditions, and
   * no index entry depends on overwritten values.
   */
  boolean isBlind() {
    return steps.stream()
        .allMatch(
            step ->
                step.mutation.condition() instanceof Precondition.None
                    && step.schema.table().indexes().stream()
                        .allMatch(
                            index ->
                                step.mutation instanceof Put put
                                    && step.schema.columnNumbers().containsKey(index)
                                    && !put.values().containsKey(index)));
  }

  /** Returns the changes of a blind batch. */
  List<RecordChange> blindChanges() {
    return changes(Map.of());
  }

  /**
   * Returns whether a table has an index, so that the records found determine which records change.
   */
  boolean hasIndexes() {
    return steps.stream().anyMatch(step -> !step.schema.table().indexes().isEmpty());
  }

  /** Returns the records, and all index entries that change if the records are as given. */
  Set<RecordId> touched(Map<RecordId, Cells> found) {
    Set<RecordId> ids = records();
    changes(found).forEach(change -> ids.add(change.id()));
    return ids;
  }

  /**
   * Checks the conditions and computes the changes.
   *
   * @param found the records that exist
   * @param named the records that may be changed
   */
  Computed<Outcome> apply(Map<RecordId, Cells> found, Set<RecordId> named) {
    if (!steps.stream().allMatch(step -> holds(step, found))) {
      return Computed.unchanged(Outcome.REFUSED);
    }
    List<RecordChange> changes = changes(found);
    return changes.stream().allMatch(change -> named.contains(change.id()))
        ? new Computed<>(changes, Outcome.MADE)
        : Computed.unchanged(Outcome.OUTDATED);
  }

  private static boolean holds(Step step, Map<RecordId, Cells> found) {
    Cells cells = found.get(step.id);
    Precondition condition = step.mutation.condition();
    if (condition instanceof Precondition.Exists) {
      return cells != null;
    }
    if (condition instanceof Precondition.NotExists) {
      return cells == null;
    }
    if (condition instanceof Precondition.Holds holds) {
      return cells != null
          && step.schema.holds(new RecordEntry(step.id, cells), holds.comparisons());
    }
    return true;
  }

  private List<RecordChange> changes(Map<RecordId, Cells> found) {
    Map<RecordId, Optional<Cells>> now = new HashMap<>();
    Map<RecordId, Schema> schemas = new LinkedHashMap<>();
    Map<RecordId, Set<String>> named = new HashMap<>();
    List<RecordChange> changes = new ArrayList<>();
    for (Step step : steps) {
      schemas.put(step.id, step.schema);
      if (step.mutation instanceof Put put) {
        Map<Integer, Optional<Bytes>> cells = cells(step.schema, put);
        named.computeIfAbsent(step.id, id -> new HashSet<>()).addAll(put.values().keySet());
        changes.add(new RecordChange.Write(step.id, cells));
        Optional<Cells> before =
            now.computeIfAbsent(step.id, id -> Optional.ofNullable(found.get(id)));
        now.put(step.id, Optional.of(before.orElse(Cells.NONE).with(cells)));
      } else {
        changes.add(new RecordChange.Remove(step.id));
        now.put(step.id, Optional.empty());
      }
    }
    schemas.forEach(
        (id, schema) ->
            addIndexChanges(
                schema,
                id,
                Optional.ofNullable(found.get(id)),
                now.getOrDefault(id, Optional.empty()),
                named.getOrDefault(id, Set.of()),
                changes));
    return changes;
  }

  /**
   * Adds the changes of a record's index entries.
   *
   * @param named the columns whose values are put, even unchanged ones. A concurrent put may remove
   *     the entry of the old value, and a written entry survives that. For the same reason, every
   *     put writes the entries of key columns: a concurrent delete removes them but leaves the
   *     record
   */
  private static void addIndexChanges(
      Schema schema,
      RecordId id,
      Optional<Cells> before,
      Optional<Cells> after,
      Set<String> named,
      List<RecordChange> changes) {
    for (String index : schema.table().indexes()) {
      Optional<RecordId> old =
          before.flatMap(cells -> schema.indexEntry(index, new RecordEntry(id, cells)));
      Optional<RecordId> fresh =
          after.flatMap(cells -> schema.indexEntry(index, new RecordEntry(id, cells)));
      if (!old.equals(fresh)) {
        old.ifPresent(entry -> changes.add(new RecordChange.Remove(entry)));
      }
      boolean isOfKey = !schema.columnNumbers().containsKey(index);
      if (!old.equals(fresh) || isOfKey || named.contains(index)) {
        fresh.ifPresent(entry -> changes.add(new RecordChange.Write(entry, Map.of())));
      }
    }
  }
}
