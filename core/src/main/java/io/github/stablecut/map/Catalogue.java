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
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where it is kept which namespaces and tables there are: in records of the space {@code
 * map/catalogue}, in one partition. What a record is about is its first character:
 *
 * <ul>
 *   <li>{@code n} and a name: a namespace. Cell 1 has the place of the table that came last.
 *   <li>{@code T}, a namespace, {@code t} and an id: a table, which keeps its id whatever it is
 *       called ({@link TableEntry}).
 *   <li>{@code T}, a namespace, {@code n} and a name: whose name it is. Cell 1 has the table's id.
 *       This is a hint: the table's own record decides ({@link TableNames}).
 *   <li>{@code p} and a place: one of a table, until its records are removed. Cell 1 has the end of
 *       the name of the table's record. Cell 2 has what the table looks like, so that it can be
 *       repaired when its own record is lost.
 *   <li>{@code i}, a number in four bytes, and a place: an index whose entries are being made or
 *       removed.
 * </ul>
 *
 * <p>Namespaces, ids and names after {@code T}, and names after {@code n}, have each byte 0 doubled
 * as 0 255, and end with 0 1.
 */
final class Catalogue {
  static final Bytes SPACE = Bytes.utf8("map/catalogue");
  static final Bytes PARTITION = Bytes.utf8("catalogue");

  /** In the record of a namespace: the place of the table that came last. */
  static final int PLACE = 1;

  /** In the record of a name: the id of the table that has it. */
  static final int ID = 1;

  /** In the record of a place: the end of the name of its table's record. */
  static final int TABLE = 1;

  /** In the records of a table and of its place: what it looks like ({@link SchemaCodec}). */
  static final int SCHEMA = 2;

  private static final char TABLES = 'T';
  private static final String BY_ID = "t";
  private static final String BY_NAME = "n";

  private static final List<KeyCodec.Part> ONE = List.of(new KeyCodec.Part(ColumnType.TEXT, false));
  private static final List<KeyCodec.Part> TWO = List.of(ONE.get(0), ONE.get(0));

  private Catalogue() {}

  static RecordId namespace(String name) {
    return id('n', KeyCodec.encode(ONE, List.of(name)));
  }

  static RecordId table(TableId id) {
    return id(TABLES, KeyCodec.encode(TWO, List.of(id.namespace(), BY_ID + id.id())));
  }

  /** The record that says whose name it is. */
  static RecordId name(TableName name) {
    return id(TABLES, KeyCodec.encode(TWO, List.of(name.namespace(), BY_NAME + name.table())));
  }

  static RecordId place(Bytes place) {
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

  /** What the names of the records of all tables, and of their names, begin with. */
  static Bytes tables() {
    return prefix(TABLES);
  }

  /** What the names of the records of a namespace's tables, and of their names, begin with. */
  static Bytes tables(String namespace) {
    return KeyCodec.join(tables(), KeyCodec.encode(ONE, List.of(namespace)));
  }

  static String namespaceOf(RecordId id) {
    return (String) KeyCodec.decode(ONE, name(id)).get(0);
  }

  /** The namespace that a record of a table, or of a table's name, is of. */
  static String namespaceOfTable(RecordId id) {
    return parts(name(id)).get(0);
  }

  /** The table that a record is of; empty if it is of a name. */
  static Optional<TableId> tableOf(RecordId id) {
    return tableOf(name(id));
  }

  private static Optional<TableId> tableOf(Bytes name) {
    List<String> parts = parts(name);
    return parts.get(1).startsWith(BY_ID)
        ? Optional.of(new TableId(parts.get(0), parts.get(1).substring(1)))
        : Optional.empty();
  }

  /** The name, in its namespace, that a record is of. */
  static String tableNameOf(RecordId id) {
    return parts(name(id)).get(1).substring(1);
  }

  private static List<String> parts(Bytes name) {
    List<String> parts = KeyCodec.decode(TWO, name).stream().map(String.class::cast).toList();
    if (!parts.get(1).startsWith(BY_ID) && !parts.get(1).startsWith(BY_NAME)) {
      throw new FormatException("a record of the catalogue is of no table and no name: " + name);
    }
    return parts;
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

  /**
   * Makes a namespace be there, and takes note of a table that comes to it, so that who drops it
   * notices.
   */
  static RecordChange writeNamespace(String namespace, Bytes place) {
    return new RecordChange.Write(namespace(namespace), Map.of(PLACE, Optional.of(place)));
  }

  /** Has a name be a table's. */
  static RecordChange writeName(TableName name, TableId id) {
    return new RecordChange.Write(name(name), Map.of(ID, Optional.of(Bytes.utf8(id.id()))));
  }

  /** The table that has a name, by the name's record. */
  static Optional<TableId> holder(String namespace, Cells name) {
    return name.get(ID).map(id -> new TableId(namespace, id.toUtf8()));
  }

  /** Sets what a table looks like, whose record is there. */
  static List<RecordChange> writeSchema(Schema schema) {
    Map<Integer, Optional<Bytes>> cells = Map.of(SCHEMA, Optional.of(SchemaCodec.encode(schema)));
    return List.of(
        new RecordChange.Write(table(schema.id()), cells),
        new RecordChange.Write(place(schema.place()), cells));
  }

  /**
   * Takes note that a place is a table's.
   *
   * @param schema what the table looks like; empty if that is not known
   */
  static RecordChange use(Bytes place, TableId table, Optional<Bytes> schema) {
    return new RecordChange.Write(
        place(place), Map.of(TABLE, Optional.of(name(table(table))), SCHEMA, schema));
  }

  /** The table whose place it is, by the record of the place. */
  static Optional<TableId> userOf(Cells place) {
    return place.get(TABLE).flatMap(Catalogue::tableOf);
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

  /** Notes of indexes that there is work for. */
  static List<RecordChange> noted(Bytes place, Collection<Integer> indexes) {
    return indexes.stream()
        .<RecordChange>map(
            number -> new RecordChange.Write(unfinished(new IndexAt(place, number)), Map.of()))
        .toList();
  }

  /** Checks that no earlier build has written the catalogue. */
  static void checkFormat(RecordReader reader) {
    if (!entries(reader, prefix('t')).isEmpty()) {
      throw new FormatException(
          "there are tables of an earlier build, which this program can't read: copy them with such a build");
    }
  }

  static SchemaException missing(TableName name) {
    return new SchemaException(
        "there is no table %s: create it, or repair it if damage has taken what it looks like"
            .formatted(name));
  }
}
