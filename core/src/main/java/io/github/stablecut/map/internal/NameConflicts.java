package io.github.stablecut.map.internal;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.log.Log;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;

/**
 * Records the name of each table ({@link TableNames}) where data centres gave several tables the
 * same name. A renamed table then keeps its new name when the old one becomes free, and is found at
 * once. Readers don't depend on this. Thread-safe.
 */
record NameConflicts(RecordStorage storage) {
  private static final Logger LOG = Log.of(NameConflicts.class);

  /** Returns the tables of a namespace after recording the name of each. */
  @CanIgnoreReturnValue
  TableNames settled(String namespace) {
    TableNames names = TableNames.of(storage, namespace);
    while (settleUnrecorded(names)) {
      names = TableNames.of(storage, namespace);
    }
    return names;
  }

  /** Records the names of all tables. */
  void settleAll() {
    for (TableNames names : TableNames.all(storage)) {
      if (settleUnrecorded(names)) {
        settled(names.namespace());
      }
    }
  }

  /** Returns whether a name was unrecorded; if so, records at least some of them. */
  private boolean settleUnrecorded(TableNames names) {
    boolean isUnsettled = false;
    for (Map.Entry<String, TableEntry> named : names.tables().entrySet()) {
      TableName name = new TableName(names.namespace(), named.getKey());
      TableEntry table = named.getValue();
      boolean isOther = !table.isCalled(name) && !table.hasLeftName();
      List<RecordChange> changes = new ArrayList<>();
      if (isOther) {
        changes.add(table.leaveName());
      }
      if (names.holder(name).filter(table.id()::equals).isEmpty()) {
        changes.add(Catalogue.writeName(name, table.id()));
      }
      isUnsettled |= !changes.isEmpty();
      if (!changes.isEmpty() && names.seen(name).write(storage, changes) && isOther) {
        LOG.warn(
            "two data centres gave two tables the name {} concurrently: one table keeps the name, and the other is now called {}, with all of its records; copy the records that you need and drop it, or rename it",
            table.name(),
            name);
      }
    }
    return isUnsettled;
  }
}
