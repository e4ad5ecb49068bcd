package io.github.stablecut.map;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.RecordChange;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A table's own record in the catalogue, which decides what it is called and where its records are.
 * Cell 1 is its name, and cell 2 what it looks like ({@link SchemaCodec}). Cell 3 is a name that
 * another table has: as long as this one is called so, it has a name with its id in it. Cell 4 is
 * there as long as the table is. Its records are at a place that is called as its id, and after
 * each truncation at another one, which is in one cell more, from cell 5 on.
 *
 * <p>Data centres change it at the same time. Only a creation writes cell 4, and a drop takes the
 * cells away, as far as it has seen them: so it prevails over all changes but a creation. The last
 * place stays for ever, so that no truncation is undone.
 */
record TableEntry(TableId id, Cells cells) {
  private static final int NAME = 1;
  private static final int YIELDED = 3;
  private static final int CREATED = 4;
  private static final int FIRST_MOVE = 5;

  /** Whether the table is there. Otherwise it was dropped. */
  boolean isThere() {
    return cells.get(CREATED).isPresent();
  }

  /** Its name, unless another table has it. */
  TableName name() {
    return hasLeftName()
        ? other(0)
        : new TableName(id.namespace(), cells.get(NAME).orElseThrow().toUtf8());
  }

  boolean isCalled(TableName name) {
    return name().equals(name);
  }

  /** Whether it has left its name to another table. */
  boolean hasLeftName() {
    return cells.get(NAME).equals(cells.get(YIELDED));
  }

  /**
   * Names that it has if another table has its own, or if that is lost.
   *
   * @param attempt 0 for the one that people read best
   */
  TableName other(int attempt) {
    String label = "@" + (attempt == 0 ? RecordSpaces.label(id.id()) : id.id() + "@" + attempt);
    String name = cells.get(NAME).map(Bytes::toUtf8).orElse("");
    int length = Bytes.utf8(name).length() + label.length();
    return new TableName(id.namespace(), length > NameRules.MAX_BYTES ? label : name + label);
  }

  /** Where its records are. */
  Bytes place() {
    return cells.values().tailMap(FIRST_MOVE).values().stream()
        .reduce((before, last) -> last)
        .orElseGet(() -> Bytes.utf8(id.id()));
  }

  /** Whether its records are at a place now. */
  boolean isAt(Bytes place) {
    return isThere() && place().equals(place);
  }

  /** Has a table be there, with all that is known of it. */
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

  /** Calls it by another name. */
  RecordChange rename(String name) {
    return write(Map.of(NAME, Optional.of(Bytes.utf8(name)), YIELDED, Optional.empty()));
  }

  /** Leaves its name to another table. */
  RecordChange leaveName() {
    return write(Map.of(YIELDED, cells.get(NAME)));
  }

  /**
   * Has it go on at another place.
   *
   * @param schema what it looks like there, if that changes
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
