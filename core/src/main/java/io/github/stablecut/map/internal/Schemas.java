package io.github.stablecut.map.internal;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.map.SchemaException;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordReader;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Reads the schemas of tables. Their records are read each time, and decoded only after a change.
 * Thread-safe.
 */
final class Schemas {
  /** The maximum number of cached schemas. */
  private static final int MAX_DECODED = 10_000;

  private final Map<TableName, DecodedSchema> decoded = new ConcurrentHashMap<>();

  private record DecodedSchema(Cells from, Schema schema) {}

  /**
   * Returns the schemas of tables as a reader sees them.
   *
   * @throws SchemaException if a table does not exist
   */
  Map<TableName, Schema> of(RecordReader reader, Collection<TableName> names) {
    Map<TableName, Schema> schemas = new HashMap<>();
    entries(reader, Set.copyOf(names))
        .forEach(
            (name, table) ->
                schemas.put(
                    name,
                    table
                        .flatMap(found -> decode(name, found))
                        .orElseThrow(() -> Catalogue.missing(name))));
    return schemas;
  }

  /** Returns the schema of one table, as {@link #of(RecordReader, Collection)} does. */
  Schema of(RecordReader reader, TableName name) {
    return of(reader, Set.of(name)).values().iterator().next();
  }

  /**
   * Applies a function to the schemas of tables as a reader sees them. If records don't match the
   * schemas because these have changed, it repeats the function with the current ones.
   *
   * @param action has no effect if it throws {@link FormatException}
   */
  <R> R apply(
      RecordReader reader,
      Collection<TableName> names,
      Function<? super Map<TableName, Schema>, ? extends R> action) {
    Map<TableName, Schema> tables = of(reader, names);
    while (true) {
      try {
        return action.apply(tables);
      } catch (FormatException e) {
        Map<TableName, Schema> now = of(reader, names);
        if (now.equals(tables)) {
          throw e;
        }
        tables = now;
      }
    }
  }

  /** Returns the record of a table as a reader sees it; empty if it does not exist. */
  Optional<TableEntry> entry(RecordReader reader, TableName name) {
    return entries(reader, Set.of(name)).values().iterator().next();
  }

  /**
   * Returns the records of tables. It reads the records of names together with those of the tables
   * that had them last time. One read is therefore enough unless a name has moved to another table.
   */
  private Map<TableName, Optional<TableEntry>> entries(RecordReader reader, Set<TableName> names) {
    Set<RecordId> ids = new LinkedHashSet<>();
    for (TableName name : names) {
      ids.add(Catalogue.name(name));
      DecodedSchema known = decoded.get(name);
      if (known != null) {
        ids.add(Catalogue.table(known.schema.id()));
      }
    }
    Map<RecordId, Cells> found = reader.read(ids);
    Map<TableName, Optional<TableEntry>> entries = new HashMap<>();
    names.forEach(name -> entries.put(name, entry(reader, name, found)));
    return entries;
  }

  private static Optional<TableEntry> entry(
      RecordReader reader, TableName name, Map<RecordId, Cells> found) {
    return Optional.ofNullable(found.get(Catalogue.name(name)))
        .flatMap(cells -> Catalogue.holder(name.namespace(), cells))
        .flatMap(id -> entry(reader, id, found))
        .filter(table -> table.isThere() && table.name().equals(name))
        .or(() -> TableNames.of(reader, name.namespace()).find(name));
  }

  private static Optional<TableEntry> entry(
      RecordReader reader, TableId table, Map<RecordId, Cells> found) {
    RecordId id = Catalogue.table(table);
    return Optional.ofNullable(found.get(id))
        .or(() -> Optional.ofNullable(reader.read(Set.of(id)).get(id)))
        .map(cells -> new TableEntry(table, cells));
  }

  /** Decodes the schema in a table's record; empty if it is missing. */
  Optional<Schema> decode(TableName name, TableEntry table) {
    DecodedSchema known = decoded.get(name);
    if (known != null && known.schema.id().equals(table.id()) && known.from.equals(table.cells())) {
      return Optional.of(known.schema);
    }
    Optional<Bytes> bytes = table.cells().get(Catalogue.SCHEMA);
    if (bytes.isEmpty()) {
      return Optional.empty();
    }
    Schema schema = SchemaCodec.decode(name, table.id(), table.place(), bytes.get());
    if (decoded.size() >= MAX_DECODED) {
      decoded.clear();
    }
    decoded.put(name, new DecodedSchema(table.cells(), schema));
    return Optional.of(schema);
  }

  /** Decodes like {@link #decode}, but returns empty also if the schema is damaged. */
  Optional<Schema> readable(TableName name, TableEntry table) {
    try {
      return decode(name, table);
    } catch (FormatException e) {
      return Optional.empty();
    }
  }
}
