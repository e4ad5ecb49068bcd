package io.github.stablecut.map;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.Computed;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordCursor;
import io.github.stablecut.map.storage.RecordEntry;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordRange;
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
  private final Schemas schemas;
  private final TableReader reader;

  /**
   * @param reader of the tables in the storage
   */
  StoredAdministration(RecordStorage storage, Schemas schemas, TableReader reader) {
    this.storage = storage;
    this.schemas = schemas;
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
    List<String> tables = reader.tables(namespace);
    compute(
        Set.of(id),
        found -> {
          if (!found.containsKey(id)) {
            throw missing(namespace);
          }
          if (!tables.isEmpty()) {
            throw new SchemaException(
                "namespace %s has tables, %s: drop them before".formatted(namespace, tables));
          }
          return changes(new RecordChange.Remove(id));
        });
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
          return changes(write(id, Schema.of(table, newPlace())));
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

  private static RecordChange write(RecordId id, Schema schema) {
    Map<Integer, Optional<Bytes>> cells =
        Map.of(
            Catalogue.PLACE,
            Optional.of(schema.place()),
            Catalogue.SCHEMA,
            Optional.of(SchemaCodec.encode(schema)));
    return new RecordChange.Write(id, cells);
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
                  new ArrayList<>(
                      List.of(
                          new RecordChange.Write(id, Map.of(Catalogue.PLACE, Optional.of(fresh)))));
              dropped.ifPresent(changes::add);
              return changes;
            });
    place.ifPresent(this::clear);
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

  /** Removes the records of tables that were dropped or truncated, if a crash has come before. */
  void clearDropped() {
    Catalogue.entries(storage, Catalogue.prefix('d'))
        .forEach(entry -> clear(Catalogue.placeOf(entry.id())));
  }

  void renameTable(TableName name, String newName) {
    TableName target = new TableName(name.namespace(), newName);
    RecordId from = Catalogue.table(name);
    RecordId to = Catalogue.table(target);
    compute(
        Set.of(from, to),
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

  /** Changes what a table looks like; returns what it looked like before. */
  @CanIgnoreReturnValue
  Schema change(TableName name, TableChange change) {
    RecordId id = Catalogue.table(name);
    return storage.compute(
        Set.of(id),
        found -> {
          Schema before =
              Optional.ofNullable(found.get(id))
                  .flatMap(cells -> schemas.decode(name, cells))
                  .orElseThrow(() -> Catalogue.missing(name));
          return new Computed<>(List.of(write(id, change.apply(before))), before);
        });
  }

  void dropColumn(TableName name, String column) {
    clearIndex(change(name, new TableChange.Drop(column)), column);
  }

  void changeType(TableName name, String column, ColumnType type) {
    Schema before = change(name, new TableChange.Retype(column, type));
    if (before.table().indexes().contains(column)) {
      clearIndex(before, column);
      createIndex(name, column);
    }
  }

  void dropIndex(TableName name, String column) {
    clearIndex(change(name, new TableChange.DropIndex(column)), column);
  }

  private void clearIndex(Schema before, String column) {
    if (before.table().indexes().contains(column)) {
      storage.clear(before.place(), before.index(column));
    }
  }

  /**
   * From the change on, whoever writes a record puts it into the index; then those are put into it
   * that were there.
   */
  void createIndex(TableName name, String column) {
    Schema unused = change(name, new TableChange.AddIndex(column));
    fillIndex(schemas.of(storage, name), column);
  }

  private void fillIndex(Schema schema, String column) {
    storage.clear(schema.place(), schema.index(column));
    try (RecordCursor all = storage.scan(RecordRange.of(schema.place(), Bytes.EMPTY))) {
      all.forEachRemaining(entry -> addToIndex(schema, column, entry));
    }
  }

  private void addToIndex(Schema schema, String column, RecordEntry entry) {
    Optional<RecordId> indexed = schema.indexEntry(column, entry);
    if (indexed.isEmpty()) {
      return;
    }
    RecordId id = indexed.get();
    compute(
        Set.of(entry.id(), id),
        found -> {
          Cells cells = found.get(entry.id());
          boolean isStill =
              cells != null
                  && schema.indexEntry(column, new RecordEntry(entry.id(), cells)).equals(indexed);
          return isStill ? changes(new RecordChange.Write(id, Map.of())) : Computed.unchanged(true);
        });
  }

  void repairTable(Table table) {
    checkKey(table);
    RecordId id = Catalogue.table(table.name());
    RecordId namespace = Catalogue.namespace(table.name().namespace());
    Bytes fresh = newPlace();
    Set<String> known =
        storage.compute(
            Set.of(id, namespace),
            found -> {
              Optional<Cells> cells = Optional.ofNullable(found.get(id));
              Optional<Schema> before = cells.flatMap(record -> readable(table.name(), record));
              Bytes place = cells.flatMap(record -> record.get(Catalogue.PLACE)).orElse(fresh);
              Schema repaired =
                  before
                      .map(schema -> schema.changed(table))
                      .orElseGet(() -> Schema.of(table, place));
              return new Computed<>(
                  List.of(new RecordChange.Write(namespace, Map.of()), write(id, repaired)),
                  before.map(schema -> schema.table().indexes()).orElse(Set.of()));
            });
    Schema schema = schemas.of(storage, table.name());
    table.indexes().stream()
        .filter(index -> !known.contains(index))
        .forEach(index -> fillIndex(schema, index));
  }

  /** What a table looks like by its record; empty if it is lost or damaged. */
  private Optional<Schema> readable(TableName name, Cells cells) {
    try {
      return schemas.decode(name, cells);
    } catch (FormatException e) {
      return Optional.empty();
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
