package io.github.stablecut.map.internal;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.Computed;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordEntry;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordReader;
import io.github.stablecut.map.storage.RecordStorage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Removes the records at places that their tables have left. Thread-safe. */
record AbandonedSpaces(RecordStorage storage) {
  /**
   * Removes the records at a place unless its table is there. Another data centre may have created
   * the same table concurrently with a drop here. Once that is known, the records belong to its
   * table.
   */
  void clear(Bytes place, TableId table) {
    storage.clear(place, Bytes.EMPTY, reader -> hasLeft(entry(reader, table), place));
    RecordId own = Catalogue.table(table);
    RecordId note = Catalogue.place(place);
    storage.compute(
        Set.of(own, note),
        found ->
            hasLeft(entry(table, found.get(own)), place)
                ? new Computed<>(List.of(new RecordChange.Remove(note)), true)
                : Computed.unchanged(false));
  }

  private static Optional<TableEntry> entry(RecordReader reader, TableId table) {
    RecordId id = Catalogue.table(table);
    return entry(table, reader.read(Set.of(id)).get(id));
  }

  private static Optional<TableEntry> entry(TableId table, @Nullable Cells cells) {
    return Optional.ofNullable(cells).map(found -> new TableEntry(table, found));
  }

  /**
   * Returns whether a table is known not to be at a place. If the table's own record is lost, the
   * answer is false, because the table may be repaired.
   */
  private static boolean hasLeft(Optional<TableEntry> table, Bytes place) {
    return table.filter(known -> !known.isAt(place)).isPresent();
  }

  /**
   * Clears all places that tables have left: those where a crash or a failure interrupted the
   * removal, and those where another data centre truncated or created a table concurrently. Then
   * removes the remains of the catalogue records of dropped tables whose ids no other data centre
   * can have made.
   */
  void clear() {
    for (RecordEntry entry : Catalogue.entries(storage, Catalogue.prefix('p'))) {
      Bytes place = Catalogue.placeOf(entry.id());
      Catalogue.userOf(entry.cells())
          .filter(table -> hasLeft(entry(storage, table), place))
          .ifPresent(table -> clear(place, table));
    }
    for (RecordEntry entry : Catalogue.entries(storage, Catalogue.tables())) {
      Catalogue.tableOf(entry.id())
          .map(table -> new TableEntry(table, entry.cells()))
          .filter(table -> !table.isThere() && RecordSpaces.isOnlyOne(table.id()))
          .ifPresent(table -> forget(entry));
    }
  }

  private void forget(RecordEntry dropped) {
    RecordReadSet seen = new RecordReadSet(Map.of(dropped.id(), Optional.of(dropped.cells())));
    seen.write(storage, List.of(new RecordChange.Remove(dropped.id())));
  }
}
