package io.github.stablecut.map;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.Computed;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordStorage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Administration of tables in a storage. Thread-safe. */
final class StoredAdministration {
  private final RecordStorage storage;
  private final SchemaChanges schemaChanges;
  private final TableReader reader;

  /**
   * @param reader of the tables in the storage
   */
  StoredAdministration(RecordStorage storage, SchemaChanges schemaChanges, TableReader reader) {
    this.storage = storage;
    this.schemaChanges = schemaChanges;
    this.reader = reader;
  }

  void createNamespace(String namespace) {
    Names.check("namespace", namespace);
    RecordId id = Catalogue.namespace(namespace);
    compute(
        Set.of(id),
        found -> {
          if (found.containsKey(id)) {
            throw new SchemaException(
                "there is a namespace %s already: use it, or choose another name"
                    .formatted(namespace));
          }
          return changes(new RecordChange.Write(id, Map.of()));
        });
  }

  void dropNamespace(String namespace) {
    RecordId id = Catalogue.namespace(namespace);
    boolean isDropped = false;
    while (!isDropped) {
      Optional<Cells> seen = Optional.ofNullable(storage.read(Set.of(id)).get(id));
      List<String> tables = reader.tables(namespace);
      isDropped =
          storage.compute(
              Set.of(id),
              found -> {
                Optional<Cells> now = Optional.ofNullable(found.get(id));
                if (now.isEmpty()) {
                  throw missing(namespace);
                }
                if (!now.equals(seen)) {
                  return Computed.unchanged(false); // a table has come meanwhile
                }
                if (!tables.isEmpty()) {
                  throw new SchemaException(
                      "namespace %s has tables, %s: drop them before".formatted(namespace, tables));
                }
                return changes(new RecordChange.Remove(id));
              });
    }
  }

  private static SchemaException missing(String namespace) {
    return new SchemaException("there is no namespace %s: create it".formatted(namespace));
  }

  boolean hasTable(TableName name) {
    return find(name).flatMap(cells -> cells.get(Catalogue.PLACE)).isPresent();
  }

  private Optional<Cells> find(TableName name) {
    RecordId id = Catalogue.table(name);
    return Optional.ofNullable(storage.read(Set.of(id)).get(id));
  }

  void createTable(Table table) {
    checkKey(table);
    RecordId id = Catalogue.table(table.name());
    RecordId namespace = Catalogue.namespace(table.name().namespace());
    Schema first = Schema.of(table, Places.first(table));
    Schema fresh = Schema.of(table, Places.fresh());
    RecordId used = Catalogue.used(first.place());
    compute(
        Set.of(id, namespace, used, Catalogue.used(fresh.place())),
        found -> {
          if (!found.containsKey(namespace)) {
            throw missing(table.name().namespace());
          }
          if (Optional.ofNullable(found.get(id)).filter(Catalogue::isThere).isPresent()) {
            throw exists(table.name());
          }
          Schema schema = found.containsKey(used) ? fresh : first;
          List<RecordChange> changes = new ArrayList<>(Catalogue.write(schema));
          changes.add(Catalogue.writeNamespace(table.name().namespace(), schema.place()));
          return new Computed<>(changes, true);
        });
  }

  private static void checkKey(Table table) {
    if (table.partitionKey().isEmpty()) {
      throw new IllegalArgumentException(
          "table %s has no partition key: name a column for it".formatted(table.name()));
    }
  }

  private static SchemaException exists(TableName name) {
    return new SchemaException(
        "there is a table %s already: use it, or choose another name".formatted(name));
  }

  void dropTable(TableName name) {
    RecordId id = Catalogue.table(name);
    replace(name, (cells, next) -> List.of(new RecordChange.Remove(id)));
  }

  void truncateTable(TableName name) {
    RecordId id = Catalogue.table(name);
    replace(
        name,
        (cells, next) -> {
          Map<Integer, Optional<Bytes>> changes = moved(name, cells, next);
          Optional<Bytes> schema = changes.getOrDefault(Catalogue.SCHEMA, Optional.empty());
          return List.of(new RecordChange.Write(id, changes), Catalogue.use(next, id, schema));
        });
  }

  /** What changes in a table's record when the table begins anew at another place. */
  private Map<Integer, Optional<Bytes>> moved(TableName name, Cells cells, Bytes place) {
    Map<Integer, Optional<Bytes>> changes = new HashMap<>();
    changes.put(Catalogue.PLACE, Optional.of(place));
    schemaChanges
        .readable(name, cells)
        .map(schema -> SchemaCodec.encode(schema.building(Set.of())))
        .ifPresent(schema -> changes.put(Catalogue.SCHEMA, Optional.of(schema)));
    return changes;
  }

  private interface Replacement {
    /**
     * @param next where the table may go on
     */
    List<RecordChange> of(Cells table, Bytes next);
  }

  /** Replaces a table's record, and removes its records. */
  private void replace(TableName name, Replacement replacement) {
    RecordId id = Catalogue.table(name);
    Bytes fresh = Places.fresh();
    while (true) {
      Optional<Bytes> seen =
          find(name).orElseThrow(() -> Catalogue.missing(name)).get(Catalogue.PLACE);
      List<RecordId> ids = new ArrayList<>(List.of(id, Catalogue.used(fresh)));
      seen.ifPresent(
          place ->
              ids.addAll(
                  List.of(
                      Catalogue.dropped(place),
                      Catalogue.used(place),
                      Catalogue.used(Places.next(place)))));
      Optional<List<Bytes>> left =
          storage.compute(
              ids,
              found -> {
                Cells cells = found.get(id);
                if (cells == null || !cells.get(Catalogue.PLACE).equals(seen)) {
                  return Computed.unchanged(Optional.empty());
                }
                Bytes next =
                    seen.map(Places::next)
                        .filter(place -> !found.containsKey(Catalogue.used(place)))
                        .orElse(fresh);
                List<RecordChange> changes = new ArrayList<>(replacement.of(cells, next));
                Optional<Bytes> own =
                    seen.filter(place -> !isOther(found.get(Catalogue.used(place)), name));
                own.ifPresent(place -> changes.addAll(leaving(place)));
                return new Computed<>(changes, Optional.of(own.stream().toList()));
              });
      if (left.isPresent()) {
        left.get().forEach(this::clear);
        return;
      }
    }
  }

  private static List<RecordChange> leaving(Bytes place) {
    return List.of(
        new RecordChange.Write(Catalogue.dropped(place), Map.of()), Catalogue.leave(place));
  }

  /** Whether a place is another table's: two data centres may have renamed one at the same time. */
  private static boolean isOther(@Nullable Cells used, TableName name) {
    return Optional.ofNullable(used)
        .flatMap(Catalogue::userOf)
        .filter(user -> !user.equals(name))
        .isPresent();
  }

  /** Removes the records at a place that no table has any more. */
  private void clear(Bytes place) {
    RecordId used = Catalogue.used(place);
    boolean isFree =
        Optional.ofNullable(storage.read(Set.of(used)).get(used))
            .flatMap(Catalogue::userOf)
            .flatMap(this::find)
            .isEmpty();
    if (isFree) { // Another data centre may have created the table at the same time.
      storage.clear(place, Bytes.EMPTY);
    }
    RecordId id = Catalogue.dropped(place);
    compute(Set.of(id), found -> changes(new RecordChange.Remove(id)));
  }

  void renameTable(TableName name, String newName) {
    TableName target = new TableName(name.namespace(), newName);
    boolean isRenamed = false;
    while (!isRenamed) {
      isRenamed = rename(name, target, find(name).flatMap(cells -> cells.get(Catalogue.PLACE)));
    }
  }

  /**
   * @return false if the table's place is not the one that was seen
   */
  private boolean rename(TableName name, TableName target, Optional<Bytes> seen) {
    RecordId from = Catalogue.table(name);
    RecordId to = Catalogue.table(target);
    Set<RecordId> ids = new HashSet<>(List.of(from, to));
    seen.ifPresent(place -> ids.add(Catalogue.used(place)));
    return storage.compute(
        ids,
        found -> {
          Cells cells = found.get(from);
          if (cells == null) {
            throw Catalogue.missing(name);
          }
          if (!cells.get(Catalogue.PLACE).equals(seen)) {
            return Computed.unchanged(false);
          }
          if (Optional.ofNullable(found.get(to)).filter(Catalogue::isThere).isPresent()) {
            throw exists(target);
          }
          Map<Integer, Optional<Bytes>> copy = new HashMap<>();
          cells.values().forEach((number, value) -> copy.put(number, Optional.of(value)));
          List<RecordChange> changes =
              new ArrayList<>(
                  List.of(new RecordChange.Remove(from), new RecordChange.Write(to, copy)));
          seen.ifPresent(
              place -> changes.add(Catalogue.use(place, to, cells.get(Catalogue.SCHEMA))));
          return new Computed<>(changes, true);
        });
  }

  /** Finishes what a crash or a failure has left of calls. */
  void finish() {
    Catalogue.entries(storage, Catalogue.prefix('d'))
        .forEach(entry -> clear(Catalogue.placeOf(entry.id())));
    new DisplacedTables(storage).rename();
    schemaChanges.finish();
  }

  void repairTable(Table table) {
    checkKey(table);
    TableName name = table.name();
    while (true) {
      Optional<Cells> seen = find(name);
      Optional<Cells> known =
          seen.filter(cells -> cells.get(Catalogue.PLACE).isPresent()).or(() -> byPlace(name));
      Optional<Schema> before = known.flatMap(cells -> schemaChanges.readable(name, cells));
      Optional<Bytes> place = known.flatMap(cells -> cells.get(Catalogue.PLACE));
      before.ifPresent(schema -> TableDifferences.check(schema.table(), table));
      Schema repaired =
          before
              .or(() -> place.map(where -> Schema.unbuilt(table, where)))
              .orElseGet(() -> Schema.of(table, Places.fresh()));
      if (schemaChanges.restore(seen, repaired)) {
        schemaChanges.build(name);
        return;
      }
    }
  }

  /** What the record of a table would be, by the record of its place. */
  private Optional<Cells> byPlace(TableName name) {
    return Catalogue.entries(storage, Catalogue.prefix('p')).stream()
        .filter(used -> Catalogue.userOf(used.cells()).filter(name::equals).isPresent())
        .findFirst()
        .map(
            used ->
                Cells.NONE
                    .with(Map.of(Catalogue.SCHEMA, used.cells().get(Catalogue.SCHEMA)))
                    .with(Map.of(Catalogue.PLACE, Optional.of(Catalogue.placeOf(used.id())))));
  }

  private void compute(
      Set<RecordId> ids, Function<Map<RecordId, Cells>, Computed<Boolean>> function) {
    boolean unused = storage.compute(ids, function);
  }

  private static Computed<Boolean> changes(RecordChange... changes) {
    return new Computed<>(List.of(changes), true);
  }
}
