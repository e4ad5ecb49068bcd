package io.github.stablecut.map;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordReader;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

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
    Map<TableName, RecordId> ids =
        names.stream().distinct().collect(Collectors.toMap(Function.identity(), Catalogue::table));
    Map<RecordId, Cells> found = reader.read(ids.values());
    Map<TableName, Schema> schemas = new HashMap<>();
    ids.forEach(
        (name, id) ->
            schemas.put(
                name,
                Optional.ofNullable(found.get(id))
                    .flatMap(cells -> decode(name, cells))
                    .orElseThrow(() -> Catalogue.missing(name))));
    return schemas;
  }

  /** As {@link #of(RecordReader, Collection)}, of one table. */
  Schema of(RecordReader reader, TableName name) {
    return of(reader, Set.of(name)).values().iterator().next();
  }

  /** What a table looks like by its record; empty if that is not known. */
  Optional<Schema> decode(TableName name, Cells cells) {
    Decoded known = decoded.get(name);
    if (known != null && known.from.equals(cells)) {
      return Optional.of(known.schema);
    }
    Optional<Bytes> bytes = cells.get(Catalogue.SCHEMA);
    if (bytes.isEmpty() || cells.get(Catalogue.PLACE).isEmpty()) {
      return Optional.empty();
    }
    Schema schema = SchemaCodec.decode(name, Catalogue.place(name, cells), bytes.get());
    if (decoded.size() >= MAX_DECODED) {
      decoded.clear();
    }
    decoded.put(name, new Decoded(cells, schema));
    return Optional.of(schema);
  }
}
