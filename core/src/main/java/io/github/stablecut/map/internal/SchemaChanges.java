package io.github.stablecut.map.internal;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.UsageException;
import io.github.stablecut.log.Log;
import io.github.stablecut.map.Column;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.SchemaException;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.internal.Catalogue.IndexAt;
import io.github.stablecut.map.storage.Computed;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordCursor;
import io.github.stablecut.map.storage.RecordEntry;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordRange;
import io.github.stablecut.map.storage.RecordStorage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;

/**
 * Changes the schemas of tables, and builds and removes their indexes. Thread-safe.
 *
 * <p>Building an index, or removing its entries, takes many steps. The first write therefore notes
 * the index in the catalogue, and the last step removes the note. If the work fails or the process
 * dies, the next opening completes the work. An index under construction has a number of its own
 * and only grows, so two concurrent builds do no harm. Writers maintain it from the start; readers
 * don't use it until it is complete.
 */
final class SchemaChanges {
  private static final Logger LOG = Log.of(SchemaChanges.class);

  private final RecordStorage storage;
  private final Schemas schemas;
  private final int indexedAtOnce;

  /**
   * Creates the changes of a storage's schemas.
   *
   * @param indexedAtOnce the maximum number of records that one write puts into an index
   */
  SchemaChanges(RecordStorage storage, Schemas schemas, int indexedAtOnce) {
    this.storage = storage;
    this.schemas = schemas;
    this.indexedAtOnce = indexedAtOnce;
  }

  /** A table before and after a change. */
  private record SchemaChange(Schema before, Schema after) {
    Set<Integer> removed() {
      return without(before.indexNumbers().values(), after.indexNumbers().values());
    }

    Set<Integer> added() {
      return without(after.building(), before.building());
    }

    /** Returns notes of indexes with pending work. */
    List<RecordChange> notes() {
      Set<Integer> numbers = removed();
      numbers.addAll(added());
      return Catalogue.noted(after.place(), numbers);
    }

    private static Set<Integer> without(Iterable<Integer> all, Collection<Integer> some) {
      Set<Integer> left = new HashSet<>();
      all.forEach(left::add);
      left.removeAll(some);
      return left;
    }
  }

  /**
   * Changes a table, removes the entries of dropped indexes, and builds new ones. If an index can't
   * be built, it is dropped.
   */
  void change(TableName name, TableChange change) {
    if (change instanceof TableChange.Retype retype) {
      checkTexts(name, retype);
    }
    SchemaChange changed = decide(name, change);
    Schema after = changed.after;
    changed.removed().forEach(number -> clear(new IndexAt(after.place(), number)));
    Set<Integer> building = changed.added();
    if (change instanceof TableChange.AddIndex index) {
      building.add(after.indexNumber(index.column()));
    }
    building.forEach(number -> buildOrRemove(after, number));
  }

  /** Checks that the bytes of a column that becomes TEXT are valid texts. */
  private void checkTexts(TableName name, TableChange.Retype change) {
    Schema schema = schemas.of(storage, name);
    Column column = schema.column(change.column());
    if (column.type() != ColumnType.BLOB || change.type() != ColumnType.TEXT) {
      return;
    }
    try (RecordCursor all = storage.scan(RecordRange.of(schema.place(), Bytes.EMPTY))) {
      all.forEachRemaining(
          entry ->
              schema
                  .value(entry, column)
                  .filter(value -> !isText((Bytes) value))
                  .ifPresent(
                      value -> {
                        throw new SchemaException(
                            "column %s of table %s can't become TEXT: the bytes of record %s are not UTF-8, %.100s; change them first, or add another column"
                                .formatted(
                                    column.name(),
                                    name,
                                    schema.record(entry, List.of()).key(),
                                    value));
                      }));
    }
  }

  private static boolean isText(Bytes bytes) {
    return Bytes.utf8(bytes.toUtf8()).equals(bytes);
  }

  private SchemaChange decide(TableName name, TableChange change) {
    while (true) {
      TableEntry table = schemas.entry(storage, name).orElseThrow(() -> Catalogue.missing(name));
      Schema before = schemas.decode(name, table).orElseThrow(() -> Catalogue.missing(name));
      SchemaChange changed = new SchemaChange(before, change.apply(before));
      List<RecordChange> changes = new ArrayList<>(changed.notes());
      changes.addAll(Catalogue.writeSchema(changed.after));
      RecordReadSet seen =
          new RecordReadSet(Map.of(Catalogue.table(table.id()), Optional.of(table.cells())));
      if (seen.write(storage, changes)) {
        return changed;
      }
    }
  }

  /** Removes the entries of an index that no table has. */
  private void clear(IndexAt index) {
    storage.clear(index.place(), Schema.index(index.number()), reader -> true);
    RecordId note = Catalogue.unfinished(index);
    storage.compute(
        Set.of(note), found -> new Computed<>(List.of(new RecordChange.Remove(note)), true));
  }

  private void buildOrRemove(Schema schema, int number) {
    try {
      build(schema, number);
    } catch (RuntimeException e) {
      try {
        abandon(schema, number);
      } catch (RuntimeException second) {
        e.addSuppressed(second); // the next opening builds or removes the index
      }
      throw e;
    }
  }

  /** Puts all records into an index that a table has started to build. */
  private void build(Schema schema, int number) {
    column(schema, number)
        .ifPresent(column -> new IndexBuild(storage, schema, column, indexedAtOnce).run());
    end(schema, number, false);
  }

  private static Optional<String> column(Schema schema, int number) {
    return schema.indexNumbers().entrySet().stream()
        .filter(index -> index.getValue() == number)
        .map(Map.Entry::getKey)
        .findFirst();
  }

  private void abandon(Schema schema, int number) {
    if (end(schema, number, true).isPresent()) {
      clear(new IndexAt(schema.place(), number));
    }
  }

  /**
   * Marks an index as complete, or removes it from its table, if it is still being built.
   *
   * @return the table that it was removed from
   */
  @CanIgnoreReturnValue
  private Optional<Schema> end(Schema built, int number, boolean isAbandoned) {
    TableName name = built.table().name();
    RecordId id = Catalogue.table(built.id());
    RecordId note = Catalogue.unfinished(new IndexAt(built.place(), number));
    return storage.compute(
        List.of(id, Catalogue.place(built.place()), note),
        found -> {
          Optional<Schema> now =
              Optional.ofNullable(found.get(id))
                  .map(cells -> new TableEntry(built.id(), cells))
                  .filter(TableEntry::isThere)
                  .flatMap(table -> schemas.readable(name, table))
                  .filter(schema -> schema.place().equals(built.place()))
                  .filter(schema -> schema.building().contains(number));
          if (now.isEmpty()) {
            return Computed.unchanged(Optional.empty());
          }
          Schema schema = now.get();
          Optional<String> lost = isAbandoned ? column(schema, number) : Optional.empty();
          Set<Integer> building = new HashSet<>(schema.building());
          building.remove(number);
          Schema after =
              lost.map(column -> new TableChange.DropIndex(column).apply(schema))
                  .orElseGet(() -> schema.building(building));
          List<RecordChange> changes = new ArrayList<>(Catalogue.writeSchema(after));
          if (!isAbandoned) {
            changes.add(new RecordChange.Remove(note));
          }
          return new Computed<>(changes, lost.map(column -> after));
        });
  }

  /** Builds the indexes of a table that are marked to be built. */
  void build(TableName name) {
    Schema schema = schemas.of(storage, name);
    schema.building().forEach(number -> buildOrRemove(schema, number));
  }

  /** Finishes interrupted work: builds indexes, or removes their entries. */
  void finish() {
    List<RecordEntry> notes = Catalogue.entries(storage, Catalogue.prefix('i'));
    if (notes.isEmpty()) {
      return;
    }
    Map<Bytes, Schema> tables = tables();
    for (RecordEntry note : notes) {
      IndexAt index = Catalogue.indexOf(note.id());
      Schema schema = tables.get(index.place());
      if (schema == null || !schema.indexNumbers().containsValue(index.number())) {
        clear(index);
      } else if (schema.building().contains(index.number())) {
        finish(schema, index.number());
      }
    }
  }

  private Map<Bytes, Schema> tables() {
    Map<Bytes, Schema> tables = new HashMap<>();
    for (TableNames names : TableNames.all(storage)) {
      names
          .tables()
          .forEach(
              (name, table) ->
                  schemas
                      .readable(new TableName(names.namespace(), name), table)
                      .ifPresent(schema -> tables.put(schema.place(), schema)));
    }
    return tables;
  }

  private void finish(Schema schema, int number) {
    try {
      buildOrRemove(schema, number);
    } catch (UsageException e) {
      LOG.warn(
          "the incomplete index of table {} can't be completed, and was removed: {}",
          schema.table().name(),
          e.getMessage());
    }
  }
}
