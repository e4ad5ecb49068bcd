package io.github.stablecut.map.internal;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.RecordChange;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A table's own record in the catalogue, which determines its name and the place of its records.
 * Its cells are:
 *
 * <ul>
 *   <li>cell 1: the name;
 *   <li>cell 2: the schema ({@link SchemaCodec});
 *   <li>cell 3: a name that belongs to another table; while this table's name equals it, the table
 *       has a name that contains its id;
 *   <li>cell 4: present while the table exists;
 *   <li>cells from 5 on: the place after truncations, each of which uses the next cell and removes
 *       the earlier ones. Before the first truncation, the place has the same name as the id.
 * </ul>
 *
 * <p>Data centres change the record concurrently. Only a creation writes cell 4, and a drop removes
 * cells 1 to 4, as far as it has seen them. A drop therefore prevails over all changes except a
 * creation. The last place stays forever, so that no truncation is undone.
 */
record TableEntry(TableId id, Cells cells) {
  private static final int NAME = 1;
  private static final int YIELDED = 3;
  private static final int CREATED = 4;
  private static final int FIRST_MOVE = 5;

  /** Returns whether the table exists; otherwise it was dropped. */
  boolean isThere() {
    return cells.get(CREATED).isPresent();
  }

  /** Returns its name, unless that belongs to another table. */
  TableName name() {
    return hasLeftName()
        ? other(0)
        : new TableName(id.namespace(), cells.get(NAME).orElseThrow().toUtf8());
  }

  boolean isCalled(TableName name) {
    return name().equals(name);
  }

  /** Returns whether its name belongs to another table. */
  boolean hasLeftName() {
    return cells.get(NAME).equals(cells.get(YIELDED));
  }

  /**
   * Returns the name to use if another table has its own, or if that is lost.
   *
   * @param attempt 0 for the most readable name
   */
  TableName other(int attempt) {
    String label = "@" + (attempt == 0 ? RecordSpaces.label(id.id()) : id.id() + "@" + attempt);
    String name = cells.get(NAME).map(Bytes::toUtf8).orElse("");
    int length = Bytes.utf8(name).length() + label.length();
    return new TableName(id.namespace(), length > NameRules.MAX_BYTES ? label : name + label);
  }

  /** Returns the place of its records. */
  Bytes place() {
    return cells.values().tailMap(FIRST_MOVE).values().stream()
        .reduce((before, last) -> last)
        .orElseGet(() -> Bytes.utf8(id.id()));
  }

  /** Returns whether its records are at a place now. */
  boolean isAt(Bytes place) {
    return isThere() && place().equals(place);
  }

  /** Creates a table with all that is known of it. */
  static RecordChange create(Schema schema) {
    TableId id = schema.id();
    Map<Integer, Optional<Bytes>> cells = new HashMap<>();
    cells.put(NAME, Optional.of(Bytes.utf8(schema.table().name().table())));
    cells.put(Catalogue.SCHEMA, Optional.of(SchemaCodec.encode(schema)));
    cells.put(CREATED, Optional.of(Bytes.EMPTY));
    if (!schema.place().toUtf8().equals(id.id())) {
      cells.put(FIRST_MOVE, Optional.of(schema.place()));
    }
    return new RecordChange.Write(Catalogue.table(id), cells);
  }

  RecordChange drop() {
    Map<Integer, Optional<Bytes>> none = new HashMap<>();
    for (int cell : List.of(NAME, Catalogue.SCHEMA, YIELDED, CREATED)) {
      none.put(cell, Optional.empty());
    }
    return write(none);
  }

  /** Renames the table. */
  RecordChange rename(String name) {
    return write(Map.of(NAME, Optional.of(Bytes.utf8(name)), YIELDED, Optional.empty()));
  }

  /** Yields its name to another table. */
  RecordChange leaveName() {
    return write(Map.of(YIELDED, cells.get(NAME)));
  }

  /**
   * Moves the table to another place.
   *
   * @param schema the schema there, if it changes
   */
  RecordChange move(Bytes place, Optional<Bytes> schema) {
    Map<Integer, Optional<Bytes>> changes = new HashMap<>();
    cells
        .values()
        .tailMap(FIRST_MOVE)
        .keySet()
        .forEach(move -> changes.put(move, Optional.empty()));
    changes.put(Math.max(cells.values().lastKey(), CREATED) + 1, Optional.of(place));
    schema.ifPresent(bytes -> changes.put(Catalogue.SCHEMA, Optional.of(bytes)));
    return write(changes);
  }

  private RecordChange write(Map<Integer, Optional<Bytes>> changes) {
    return new RecordChange.Write(Catalogue.table(id), changes);
  }
}
