package io.github.stablecut.map.internal;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.SchemaException;
import io.github.stablecut.map.TableName;
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
 * The catalogue of namespaces and tables: records of the space {@code map/catalogue}, in one
 * partition. The first character of a record's name is its kind:
 *
 * <ul>
 *   <li>{@code n} and a name: a namespace. Cell 1 has the place of the table added last.
 *   <li>{@code T}, a namespace, {@code t} and an id: a table, which keeps its id when it is renamed
 *       ({@link TableEntry}).
 *   <li>{@code T}, a namespace, {@code n} and a name: a name. Cell 1 has the id of the table that
 *       has it. This is a hint: the table's own record decides ({@link TableNames}).
 *   <li>{@code p} and a place: the place of a table, until its records are removed. Cell 1 has the
 *       end of the name of the table's record. Cell 2 has the table's schema, to repair the table
 *       if its own record is lost.
 *   <li>{@code i}, a number in four bytes, and a place: an index whose entries are being added or
 *       removed.
 * </ul>
 *
 * <p>In namespaces, ids and names after {@code T}, and in names after {@code n}, each byte 0 is
 * escaped as 0 255; they end with 0 1.
 */
final class Catalogue {
  static final Bytes SPACE = Bytes.utf8("map/catalogue");
  static final Bytes PARTITION = Bytes.utf8("catalogue");

  /** The cell of a namespace's record with the place of the table added last. */
  static final int PLACE = 1;

  /** The cell of a name's record with the id of the table that has it. */
  static final int ID = 1;

  /** The cell of a place's record with the end of the name of its table's record. */
  static final int TABLE = 1;

  /** The cell of a table's record, and of its place's, with the schema ({@link SchemaCodec}). */
  static final int SCHEMA = 2;

  private static final char TABLES = 'T';
  private static final String BY_ID = "t";
  private static final String BY_NAME = "n";

  private static final List<KeyCodec.KeyColumn> ONE =
      List.of(new KeyCodec.KeyColumn(ColumnType.TEXT, false));
  private static final List<KeyCodec.KeyColumn> TWO = List.of(ONE.get(0), ONE.get(0));

  private Catalogue() {}

  static RecordId namespace(String name) {
    return id('n', KeyCodec.encode(ONE, List.of(name)));
  }

  static RecordId table(TableId id) {
    return id(TABLES, KeyCodec.encode(TWO, List.of(id.namespace(), BY_ID + id.id())));
  }

  /** Returns the record of a name, which refers to the table that has the name. */
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

  /** Returns the prefix of the names of all records of a kind. */
  static Bytes prefix(char kind) {
    return Bytes.utf8(String.valueOf(kind));
  }

  /** Returns the prefix of the names of all records of tables and of tables' names. */
  static Bytes tables() {
    return prefix(TABLES);
  }

  /** Returns the prefix of the names of all records of a namespace's tables, and of their names. */
  static Bytes tables(String namespace) {
    return KeyCodec.join(tables(), KeyCodec.encode(ONE, List.of(namespace)));
  }

  static String namespaceOf(RecordId id) {
    return (String) KeyCodec.decode(ONE, name(id)).get(0);
  }

  /** Returns the namespace of a record of a table, or of a table's name. */
  static String namespaceOfTable(RecordId id) {
    return parts(name(id)).get(0);
  }

  /** Returns the table of a record; empty if it is the record of a name. */
  static Optional<TableId> tableOf(RecordId id) {
    return tableOf(name(id));
  }

  private static Optional<TableId> tableOf(Bytes name) {
    List<String> parts = parts(name);
    return parts.get(1).startsWith(BY_ID)
        ? Optional.of(new TableId(parts.get(0), parts.get(1).substring(1)))
        : Optional.empty();
  }

  /** Returns the name, in its namespace, that a record is about. */
  static String tableNameOf(RecordId id) {
    return parts(name(id)).get(1).substring(1);
  }

  private static List<String> parts(Bytes name) {
    List<String> parts = KeyCodec.decode(TWO, name).stream().map(String.class::cast).toList();
    if (!parts.get(1).startsWith(BY_ID) && !parts.get(1).startsWith(BY_NAME)) {
      throw new FormatException(
          "a record of the catalogue belongs to no table and no name: " + name);
    }
    return parts;
  }

  static Bytes placeOf(RecordId id) {
    return name(id);
  }

  static IndexAt indexOf(RecordId id) {
    Bytes name = name(id);
    if (name.length() <= Integer.BYTES) {
      throw new FormatException("an index that is being built has no slot: " + name);
    }
    return new IndexAt(
        name.slice(Integer.BYTES, name.length()),
        ByteBuffer.wrap(name.slice(0, Integer.BYTES).toArray()).getInt());
  }

  private static Bytes name(RecordId id) {
    return id.rest().slice(1, id.rest().length());
  }

  /**
   * Creates a namespace if it is missing, and notes a table added to it, so that a concurrent drop
   * of the namespace fails.
   */
  static RecordChange writeNamespace(String namespace, Bytes place) {
    return new RecordChange.Write(namespace(namespace), Map.of(PLACE, Optional.of(place)));
  }

  /** Assigns a name to a table. */
  static RecordChange writeName(TableName name, TableId id) {
    return new RecordChange.Write(name(name), Map.of(ID, Optional.of(Bytes.utf8(id.id()))));
  }

  /** Returns the table that has a name, according to the name's record. */
  static Optional<TableId> holder(String namespace, Cells name) {
    return name.get(ID).map(id -> new TableId(namespace, id.toUtf8()));
  }

  /** Sets the schema of a table, in its own record and in that of its place. */
  static List<RecordChange> writeSchema(Schema schema) {
    Map<Integer, Optional<Bytes>> cells = Map.of(SCHEMA, Optional.of(SchemaCodec.encode(schema)));
    return List.of(
        new RecordChange.Write(table(schema.id()), cells),
        new RecordChange.Write(place(schema.place()), cells));
  }

  /**
   * Notes that a place belongs to a table.
   *
   * @param schema the table's schema; empty if unknown
   */
  static RecordChange use(Bytes place, TableId table, Optional<Bytes> schema) {
    return new RecordChange.Write(
        place(place), Map.of(TABLE, Optional.of(name(table(table))), SCHEMA, schema));
  }

  /** Returns the table of a place, according to the place's record. */
  static Optional<TableId> userOf(Cells place) {
    return place.get(TABLE).flatMap(Catalogue::tableOf);
  }

  /** Returns the records whose names have a prefix. */
  static List<RecordEntry> entries(RecordReader reader, Bytes prefix) {
    List<RecordEntry> entries = new ArrayList<>();
    try (RecordCursor all =
        reader.scan(RecordRange.of(SPACE, PARTITION, prefix, KeyCodec.afterPrefix(prefix)))) {
      all.forEachRemaining(entries::add);
    }
    return entries;
  }

  /** Notes indexes with pending work. */
  static List<RecordChange> noted(Bytes place, Collection<Integer> indexes) {
    return indexes.stream()
        .<RecordChange>map(
            number -> new RecordChange.Write(unfinished(new IndexAt(place, number)), Map.of()))
        .toList();
  }

  /** Checks that no earlier build wrote the catalogue. */
  static void checkFormat(RecordReader reader) {
    if (!entries(reader, prefix('t')).isEmpty()) {
      throw new FormatException(
          "the store has tables of an earlier version, which this version can't read: export them"
              + " with the earlier version");
    }
  }

  static SchemaException missing(TableName name) {
    return new SchemaException(
        "there is no table %s: create it, or repair it if its schema was damaged".formatted(name));
  }
}
