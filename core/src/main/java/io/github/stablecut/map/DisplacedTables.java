package io.github.stablecut.map;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.Computed;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordEntry;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordStorage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tables that have lost their name to another one, which another data centre has created, or
 * otherwise put at another place, at the same time: of two writes of a name the last one wins. Such
 * a table gets another name, the same in all data centres, and keeps its records. Thread-safe.
 */
record DisplacedTables(RecordStorage storage) {
  private static final Logger LOG = LoggerFactory.getLogger(DisplacedTables.class);

  /** Gives each one another name. */
  void rename() {
    Map<RecordId, Bytes> places = new HashMap<>();
    Catalogue.entries(storage, Catalogue.prefix('t'))
        .forEach(
            table ->
                table
                    .cells()
                    .get(Catalogue.PLACE)
                    .ifPresent(place -> places.put(table.id(), place)));
    for (RecordEntry used : Catalogue.entries(storage, Catalogue.prefix('p'))) {
      Bytes place = Catalogue.placeOf(used.id());
      Catalogue.userOf(used.cells())
          .filter(name -> !places.getOrDefault(Catalogue.table(name), place).equals(place))
          .ifPresent(name -> rename(name, place));
    }
  }

  private void rename(TableName name, Bytes place) {
    TableName other = other(name, place);
    RecordId from = Catalogue.table(name);
    RecordId to = Catalogue.table(other);
    RecordId used = Catalogue.used(place);
    boolean isRenamed =
        storage.compute(
            Set.of(from, to, used, Catalogue.namespace(name.namespace())),
            found -> {
              Cells user = found.getOrDefault(used, Cells.NONE);
              return isDisplaced(name, place, user, found.getOrDefault(from, Cells.NONE))
                      && !found.containsKey(to)
                  ? new Computed<>(changes(place, other, user.get(Catalogue.SCHEMA)), true)
                  : Computed.unchanged(false);
            });
    if (isRenamed) {
      LOG.warn(
          "two data centres have created or truncated table {} at the same time, differently: the last one keeps the name, and the other one is called {} now, with all of its records; copy what is needed, and drop it, or rename it",
          name,
          other);
    }
  }

  private static TableName other(TableName name, Bytes place) {
    String label = "@" + Places.label(place);
    int length = Bytes.utf8(name.table()).length() + label.length();
    return new TableName(name.namespace(), length > Names.MAX_BYTES ? label : name.table() + label);
  }

  private static boolean isDisplaced(TableName name, Bytes place, Cells used, Cells table) {
    return Catalogue.userOf(used).filter(name::equals).isPresent()
        && table.get(Catalogue.PLACE).filter(now -> !now.equals(place)).isPresent();
  }

  private static List<RecordChange> changes(Bytes place, TableName other, Optional<Bytes> schema) {
    List<RecordChange> changes =
        new ArrayList<>(Catalogue.write(Catalogue.table(other), place, schema));
    changes.add(Catalogue.writeNamespace(other.namespace(), place));
    return changes;
  }
}
