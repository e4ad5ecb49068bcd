package io.github.stablecut.map;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
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
 * What tables look like. Their records are read each time, and decoded when they have changed.
 * Thread-safe.
 */
final class Schemas {
  /** Tables that are kept decoded. */
  private static final int MAX_DECODED = 10_000;

  private final Map<TableName, Decoded> decoded = new ConcurrentHashMap<>();

  private record Decoded(Cells from, Schema schema) {}

  /**
   * Tables as a reader sees them.
   *
   * @throws SchemaException if one is not there
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

  /** As {@link #of(RecordReader, Collection)}, of one table. */
  Schema of(RecordReader reader, TableName name) {
    return of(reader, Set.of(name)).values().iterator().next();
  }

  /**
   * Does something with tables as a reader sees them. If records don't fit them, because they have
   * been changed meanwhile, it is done again with the tables as they are then.
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

  /** The record of a table as a reader sees it; empty if it is not there. */
  Optional<TableEntry> entry(RecordReader reader, TableName name) {
    return entries(reader, Set.of(name)).values().iterator().next();
  }

  /**
   * The records of tables. That of the table that had the name the last time is read together with
   * the name's, so one look is enough unless the name has changed.
   */
  private Map<TableName, Optional<TableEntry>> entries(RecordReader reader, Set<TableName> names) {
    Set<RecordId> ids = new LinkedHashSet<>();
    for (TableName name : names) {
      ids.add(Catalogue.name(name));
      Decoded known = decoded.get(name);
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

  /** What a table looks like by its record; empty if that is not known. */
  Optional<Schema> decode(TableName name, TableEntry table) {
    Decoded known = decoded.get(name);
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
    decoded.put(name, new Decoded(table.cells(), schema));
    return Optional.of(schema);
  }

  /** As {@link #decode}; empty as well if what it looks like is damaged. */
  Optional<Schema> readable(TableName name, TableEntry table) {
    try {
      return decode(name, table);
    } catch (FormatException e) {
      return Optional.empty();
    }
  }
}
