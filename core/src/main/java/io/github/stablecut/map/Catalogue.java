package io.github.stablecut.map;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordCursor;
import io.github.stablecut.map.storage.RecordEntry;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordRange;
import io.github.stablecut.map.storage.RecordReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where it is kept which namespaces and tables there are: in records of the space {@code
 * map/catalogue}, in one partition. A namespace's is called {@code n} and its name, a table's
 * {@code t}, the namespace's name, a byte 0 and the table's, where each byte 0 of a name is doubled
 * as 0 255, and 0 1 ends it. The table's record has the place of its records in cell 1, and what it
 * looks like in cell 2 ({@link SchemaCodec}); the namespace's has in cell 1 the place of the table
 * that came last. A place whose records are to be removed is called {@code d} and the place. An
 * index whose entries are being made or removed is called {@code i}, its number in four bytes, and
 * the place.
 *
 * <p>A place that is or was a table's is called {@code p} and the place. As long as the table is
 * there, it has the namespace's and the table's name as in {@code t} in cell 1, and what the table
 * looks like in cell 2. So a table is not lost whose own record another data centre has written
 * concurrently, and no place becomes one for the second time.
 */
final class Catalogue {
  static final Bytes SPACE = Bytes.utf8("map/catalogue");
  static final Bytes PARTITION = Bytes.utf8("catalogue");
  static final int PLACE = 1;
  static final int NAME = 1;
  static final int SCHEMA = 2;

  private static final List<KeyCodec.Part> ONE = List.of(new KeyCodec.Part(ColumnType.TEXT, false));
  private static final List<KeyCodec.Part> TWO = List.of(ONE.get(0), ONE.get(0));

  private Catalogue() {}

  static RecordId namespace(String name) {
    return id('n', KeyCodec.encode(ONE, List.of(name)));
  }

  static RecordId table(TableName name) {
    return id('t', KeyCodec.encode(TWO, List.of(name.namespace(), name.table())));
  }

  static RecordId dropped(Bytes place) {
    return id('d', place);
  }

  static RecordId used(Bytes place) {
    return id('p', place);
  }

  /** An index at a place. */
  record IndexAt(Bytes place, int number) {}

  static RecordId unfinished(IndexAt index) {
    return id('i', KeyCodec.join(Schema.index(index.number), index.place));
  }

  private static RecordId id(char kind, Bytes name) {
    return RecordId.of(SPACE, PARTITION, KeyCodec.join(prefix(kind), name));
  }

  /** What the names of all records of a kind begin with. */
  static Bytes prefix(char kind) {
    return Bytes.utf8(String.valueOf(kind));
  }

  /** What the names of the records of a namespace's tables begin with. */
  static Bytes tablesOf(String namespace) {
    return KeyCodec.join(prefix('t'), KeyCodec.encode(ONE, List.of(namespace)));
  }

  static String namespaceOf(RecordId id) {
    return (String) KeyCodec.decode(ONE, name(id)).get(0);
  }

  static TableName tableOf(RecordId id) {
    return tableName(name(id));
  }

  private static TableName tableName(Bytes name) {
    List<Object> names = KeyCodec.decode(TWO, name);
    return new TableName((String) names.get(0), (String) names.get(1));
  }

  static Bytes placeOf(RecordId id) {
    return name(id);
  }

  static IndexAt indexOf(RecordId id) {
    Bytes name = name(id);
    if (name.length() <= Integer.BYTES) {
      throw new FormatException("an index that is not finished has no place: " + name);
    }
    return new IndexAt(
        name.slice(Integer.BYTES, name.length()),
        ByteBuffer.wrap(name.slice(0, Integer.BYTES).toArray()).getInt());
  }

  private static Bytes name(RecordId id) {
    return id.rest().slice(1, id.rest().length());
  }

  /** The place of a table's records. */
  static Bytes place(TableName name, Cells cells) {
    return cells
        .get(PLACE)
        .orElseThrow(() -> new FormatException("table %s has no place: repair it".formatted(name)));
  }

  /**
   * Makes a namespace be there, and takes note of a table that comes to it, so that who drops it
   * notices.
   */
  static RecordChange writeNamespace(String namespace, Bytes place) {
    return new RecordChange.Write(namespace(namespace), Map.of(PLACE, Optional.of(place)));
  }

  /** The records that {@link #write} changes. */
  static List<RecordId> written(Schema schema) {
    return List.of(table(schema.table().name()), used(schema.place()));
  }

  /** Sets what a table looks like. */
  static List<RecordChange> write(Schema schema) {
    return write(
        table(schema.table().name()), schema.place(), Optional.of(SchemaCodec.encode(schema)));
  }

  /**
   * Has a table at a place.
   *
   * @param schema what it looks like; empty if that is not known
   */
  static List<RecordChange> write(RecordId table, Bytes place, Optional<Bytes> schema) {
    return List.of(
        new RecordChange.Write(table, Map.of(PLACE, Optional.of(place), SCHEMA, schema)),
        use(place, table, schema));
  }

  /**
   * Takes note that a place is a table's.
   *
   * @param schema what the table looks like; empty if that is not known
   */
  static RecordChange use(Bytes place, RecordId table, Optional<Bytes> schema) {
    return new RecordChange.Write(
        used(place), Map.of(NAME, Optional.of(name(table)), SCHEMA, schema));
  }

  /** Takes note that a place is no table's any more. */
  static RecordChange leave(Bytes place) {
    return new RecordChange.Write(
        used(place), Map.of(NAME, Optional.empty(), SCHEMA, Optional.empty()));
  }

  /** The table whose place it is, by the place's record. */
  static Optional<TableName> userOf(Cells place) {
    return place.get(NAME).map(Catalogue::tableName);
  }

  /** The records whose names begin with some bytes. */
  static List<RecordEntry> entries(RecordReader reader, Bytes prefix) {
    List<RecordEntry> entries = new ArrayList<>();
    try (RecordCursor all =
        reader.scan(RecordRange.of(SPACE, PARTITION, prefix, KeyCodec.afterPrefix(prefix)))) {
      all.forEachRemaining(entries::add);
    }
    return entries;
  }

  /** Whether a table's record says anything of it: damage may take all. */
  static boolean isThere(Cells cells) {
    return cells.get(PLACE).isPresent() || cells.get(SCHEMA).isPresent();
  }

  static SchemaException missing(TableName name) {
    return new SchemaException(
        "there is no table %s: create it, or repair it if damage has taken what it looks like"
            .formatted(name));
  }
}
