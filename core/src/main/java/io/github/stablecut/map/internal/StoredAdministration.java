package io.github.stablecut.map.internal;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.SchemaException;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordStorage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Administration of tables in a storage. Thread-safe. */
final class StoredAdministration {
  private final RecordStorage storage;
  private final Schemas schemas;
  private final SchemaChanges changes;
  private final NameConflicts settlement;
  private final AbandonedSpaces places;

  StoredAdministration(RecordStorage storage, Schemas schemas, SchemaChanges changes) {
    this.storage = storage;
    this.schemas = schemas;
    this.changes = changes;
    this.settlement = new NameConflicts(storage);
    this.places = new AbandonedSpaces(storage);
  }

  void createNamespace(String namespace) {
    NameRules.check("namespace", namespace);
    RecordId id = Catalogue.namespace(namespace);
    boolean isCreated =
        RecordReadSet.absent(id).write(storage, List.of(new RecordChange.Write(id, Map.of())));
    if (!isCreated) {
      throw new SchemaException(
          "namespace %s already exists: use it, or choose another name".formatted(namespace));
    }
  }

  void dropNamespace(String namespace) {
    while (!tryDrop(namespace)) {}
  }

  private boolean tryDrop(String namespace) {
    RecordReadSet seen = seenNamespace(namespace);
    Set<String> tables = TableNames.of(storage, namespace).tables().keySet();
    if (!tables.isEmpty()) {
      throw new SchemaException(
          "namespace %s has tables, %s: drop them first".formatted(namespace, tables));
    }
    // Fails if a table was added meanwhile, which changes the namespace's record.
    return seen.write(storage, List.of(new RecordChange.Remove(Catalogue.namespace(namespace))));
  }

  private RecordReadSet seenNamespace(String namespace) {
    RecordId id = Catalogue.namespace(namespace);
    RecordReadSet seen = RecordReadSet.read(storage, List.of(id));
    if (!seen.has(id)) {
      throw new SchemaException("there is no namespace %s: create it".formatted(namespace));
    }
    return seen;
  }

  boolean hasTable(TableName name) {
    return schemas.entry(storage, name).isPresent();
  }

  void createTable(Table table) {
    checkKey(table);
    while (!tryCreate(table)) {}
  }

  private boolean tryCreate(Table table) {
    TableName name = table.name();
    RecordReadSet namespace = seenNamespace(name.namespace());
    TableNames names = settlement.settled(name.namespace());
    checkFree(names, name);
    Schema first = Schema.of(table, RecordSpaces.first(table));
    RecordReadSet used =
        RecordReadSet.read(
            storage, List.of(Catalogue.table(first.id()), Catalogue.place(first.place())));
    Schema schema = used.hasNone() ? first : Schema.of(table, RecordSpaces.fresh());
    return names
        .seen(name)
        .and(namespace)
        .and(used)
        .write(
            storage,
            List.of(
                TableEntry.create(schema),
                Catalogue.writeName(name, schema.id()),
                Catalogue.use(schema.place(), schema.id(), Optional.of(SchemaCodec.encode(schema))),
                Catalogue.writeNamespace(name.namespace(), schema.place())));
  }

  private static void checkKey(Table table) {
    if (table.partitionKey().isEmpty()) {
      throw new IllegalArgumentException(
          "table %s has no partition key: name a column for it".formatted(table.name()));
    }
  }

  private static void checkFree(TableNames names, TableName name) {
    if (names.find(name).isPresent()) {
      throw new SchemaException(
          "table %s already exists: use it, or choose another name".formatted(name));
    }
  }

  private static TableEntry find(TableNames names, TableName name) {
    return names.find(name).orElseThrow(() -> Catalogue.missing(name));
  }

  void dropTable(TableName name) {
    while (!tryDrop(name)) {}
  }

  private boolean tryDrop(TableName name) {
    TableNames names = settlement.settled(name.namespace());
    TableEntry table = find(names, name);
    boolean isDropped =
        names
            .seen(name)
            .write(storage, List.of(table.drop(), new RecordChange.Remove(Catalogue.name(name))));
    if (isDropped) {
      places.clear(table.place(), table.id());
    }
    return isDropped;
  }

  void truncateTable(TableName name) {
    while (!tryTruncate(name)) {}
  }

  private boolean tryTruncate(TableName name) {
    TableNames names = settlement.settled(name.namespace());
    TableEntry table = find(names, name);
    Bytes after = RecordSpaces.next(table.place());
    RecordReadSet used = RecordReadSet.read(storage, List.of(Catalogue.place(after)));
    Bytes next = used.hasNone() ? after : RecordSpaces.fresh();
    Optional<Bytes> unfinishedIndexes = // the indexes are complete, because the table is empty
        schemas
            .readable(name, table)
            .filter(schema -> !schema.building().isEmpty())
            .map(schema -> SchemaCodec.encode(schema.building(Set.of())));
    Optional<Bytes> known = unfinishedIndexes.or(() -> table.cells().get(Catalogue.SCHEMA));
    boolean isTruncated =
        names
            .seen(name)
            .and(used)
            .write(
                storage,
                List.of(
                    table.move(next, unfinishedIndexes), Catalogue.use(next, table.id(), known)));
    if (isTruncated) {
      places.clear(table.place(), table.id());
    }
    return isTruncated;
  }

  void renameTable(TableName name, String newName) {
    TableName target = new TableName(name.namespace(), newName);
    while (!tryRename(name, target)) {}
  }

  private boolean tryRename(TableName name, TableName target) {
    TableNames names = settlement.settled(name.namespace());
    TableEntry table = find(names, name);
    checkFree(names, target);
    return names
        .seen(name)
        .and(names.seen(target))
        .write(
            storage,
            List.of(
                table.rename(target.table()),
                new RecordChange.Remove(Catalogue.name(name)),
                Catalogue.writeName(target, table.id())));
  }

  void repairTable(Table table) {
    checkKey(table);
    TableRepair repair = new TableRepair(storage, schemas, settlement);
    while (!repair.tryRepair(table)) {}
    changes.build(table.name());
  }

  /** Finishes what crashes, failures or other data centres interrupted. */
  void finish() {
    Catalogue.checkFormat(storage);
    places.clear();
    settlement.settleAll();
    changes.finish();
  }
}
