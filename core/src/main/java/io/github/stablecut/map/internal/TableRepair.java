package io.github.stablecut.map.internal;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Restores what damage has destroyed of tables in the catalogue. Thread-safe. */
record TableRepair(RecordStorage storage, Schemas schemas, NameConflicts settlement) {
  /**
   * Restores a table with its remaining records. Its indexes are rebuilt unless its schema is
   * known.
   *
   * @return false if others changed the table meanwhile
   */
  boolean tryRepair(Table table) {
    TableName name = table.name();
    TableNames names = settlement.settled(name.namespace());
    Optional<Schema> before = known(names, table);
    before.ifPresent(schema -> TableDifferences.check(schema.table(), table));
    Schema repaired =
        before
            .or(() -> place(names, name).map(at -> Schema.unbuilt(table, at.table, at.place)))
            .orElseGet(() -> Schema.of(table, RecordSpaces.fresh()));
    for (int number : repaired.building()) {
      storage.clear(repaired.place(), Schema.index(number), reader -> true);
    }
    Optional<Bytes> schema = Optional.of(SchemaCodec.encode(repaired));
    List<RecordChange> changes = new ArrayList<>();
    changes.add(TableEntry.create(repaired));
    changes.add(Catalogue.writeName(name, repaired.id()));
    changes.add(Catalogue.use(repaired.place(), repaired.id(), schema));
    changes.add(Catalogue.writeNamespace(name.namespace(), repaired.place()));
    changes.addAll(Catalogue.noted(repaired.place(), repaired.building()));
    return names.seen(name).write(storage, changes);
  }

  /** The place of a table's records. */
  private record TableLocation(TableId table, Bytes place) {}

  /** Returns the schema of a table, from its own record or from that of its place. */
  private Optional<Schema> known(TableNames names, Table table) {
    TableName name = table.name();
    return names
        .find(name)
        .flatMap(entry -> schemas.readable(name, entry))
        .or(() -> place(names, name).flatMap(at -> schema(name, at)));
  }

  private Optional<Schema> schema(TableName name, TableLocation at) {
    RecordId place = Catalogue.place(at.place);
    try {
      return Optional.ofNullable(storage.read(Set.of(place)).get(place))
          .flatMap(cells -> cells.get(Catalogue.SCHEMA))
          .map(schema -> SchemaCodec.decode(name, at.table, at.place, schema));
    } catch (FormatException e) {
      return Optional.empty();
    }
  }

  private Optional<TableLocation> place(TableNames names, TableName name) {
    Optional<TableEntry> found = names.find(name);
    return found.isPresent()
        ? found.map(table -> new TableLocation(table.id(), table.place()))
        : names.holder(name).filter(id -> !names.has(id)).flatMap(this::lost);
  }

  /** Returns the place of a table whose own record is lost. */
  private Optional<TableLocation> lost(TableId table) {
    return Catalogue.entries(storage, Catalogue.prefix('p')).stream()
        .filter(place -> Catalogue.userOf(place.cells()).filter(table::equals).isPresent())
        .findFirst()
        .map(place -> new TableLocation(table, Catalogue.placeOf(place.id())));
  }
}
