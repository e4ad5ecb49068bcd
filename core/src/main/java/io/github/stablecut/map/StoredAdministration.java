package io.github.stablecut.map;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.Computed;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordStorage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

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
    compute(
        Set.of(id, namespace),
        found -> {
          if (!found.containsKey(namespace)) {
            throw missing(table.name().namespace());
          }
          if (Optional.ofNullable(found.get(id)).filter(Catalogue::isThere).isPresent()) {
            throw exists(table.name());
          }
          Bytes place = newPlace();
          return changes(
              Catalogue.write(id, Schema.of(table, place)), Catalogue.writeNamespace(table, place));
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

  private static Bytes newPlace() {
    return Bytes.utf8("map/%016x".formatted(UUID.randomUUID().getLeastSignificantBits()));
  }

  void dropTable(TableName name) {
    RecordId id = Catalogue.table(name);
    Optional<Bytes> place =
        replace(
            name,
            (cells, dropped) -> {
              List<RecordChange> changes = new ArrayList<>(List.of(new RecordChange.Remove(id)));
              dropped.ifPresent(changes::add);
              return changes;
            });
    place.ifPresent(this::clear);
  }

  void truncateTable(TableName name) {
    RecordId id = Catalogue.table(name);
    Bytes fresh = newPlace();
    Optional<Bytes> place =
        replace(
            name,
            (cells, dropped) -> {
              List<RecordChange> changes =
                  new ArrayList<>(List.of(new RecordChange.Write(id, moved(name, cells, fresh))));
              dropped.ifPresent(changes::add);
              return changes;
            });
    place.ifPresent(this::clear);
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
    List<RecordChange> of(Cells table, Optional<RecordChange> dropped);
  }

  /**
   * Replaces a table's record, and notes that its records are to be removed; returns where these
   * are.
   */
  private Optional<Bytes> replace(TableName name, Replacement replacement) {
    RecordId id = Catalogue.table(name);
    while (true) {
      Optional<Bytes> seen =
          find(name).orElseThrow(() -> Catalogue.missing(name)).get(Catalogue.PLACE);
      List<RecordId> ids = new ArrayList<>(List.of(id));
      seen.ifPresent(place -> ids.add(Catalogue.dropped(place)));
      boolean isDone =
          storage.compute(
              ids,
              found -> {
                Cells cells = found.get(id);
                if (cells == null || !cells.get(Catalogue.PLACE).equals(seen)) {
                  return Computed.unchanged(false);
                }
                Optional<RecordChange> dropped =
                    seen.map(place -> new RecordChange.Write(Catalogue.dropped(place), Map.of()));
                return new Computed<>(replacement.of(cells, dropped), true);
              });
      if (isDone) {
        return seen;
      }
    }
  }

  private void clear(Bytes place) {
    storage.clear(place, Bytes.EMPTY);
    RecordId id = Catalogue.dropped(place);
    compute(Set.of(id), found -> changes(new RecordChange.Remove(id)));
  }

  void renameTable(TableName name, String newName) {
    TableName target = new TableName(name.namespace(), newName);
    RecordId from = Catalogue.table(name);
    RecordId to = Catalogue.table(target);
    compute(
        from.equals(to) ? Set.of(from) : Set.of(from, to),
        found -> {
          Cells cells = found.get(from);
          if (cells == null) {
            throw Catalogue.missing(name);
          }
          if (Optional.ofNullable(found.get(to)).filter(Catalogue::isThere).isPresent()) {
            throw exists(target);
          }
          Map<Integer, Optional<Bytes>> copy = new HashMap<>();
          cells.values().forEach((number, value) -> copy.put(number, Optional.of(value)));
          return changes(new RecordChange.Remove(from), new RecordChange.Write(to, copy));
        });
  }

  /** Finishes what a crash or a failure has left of calls. */
  void finish() {
    Catalogue.entries(storage, Catalogue.prefix('d'))
        .forEach(entry -> clear(Catalogue.placeOf(entry.id())));
    schemaChanges.finish();
  }

  void repairTable(Table table) {
    checkKey(table);
    TableName name = table.name();
    while (true) {
      Optional<Cells> seen = find(name);
      Optional<Schema> before = seen.flatMap(cells -> schemaChanges.readable(name, cells));
      Optional<Bytes> place = seen.flatMap(cells -> cells.get(Catalogue.PLACE));
      before.ifPresent(schema -> TableDifferences.check(schema.table(), table));
      Schema repaired =
          before
              .or(() -> place.map(known -> Schema.unbuilt(table, known)))
              .orElseGet(() -> Schema.of(table, newPlace()));
      if (schemaChanges.restore(seen, repaired)) {
        schemaChanges.build(name);
        return;
      }
    }
  }

  private void compute(
      Set<RecordId> ids, Function<Map<RecordId, Cells>, Computed<Boolean>> function) {
    boolean unused = storage.compute(ids, function);
  }

  private static Computed<Boolean> changes(RecordChange... changes) {
    return new Computed<>(List.of(changes), true);
  }
}
