package io.github.stablecut.map.internal;

import io.github.stablecut.map.TableName;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.RecordEntry;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The tables of a namespace by their names, as of one moment. Each table has one name, and each
 * name one table, the same in every data centre, even after concurrent changes. Of several tables
 * with the same name, the one in the name's record has it, or otherwise the one with the least id.
 * The others have a name that contains their id. Immutable.
 */
final class TableNames {
  private final String namespace;
  private final Map<RecordId, Cells> records = new HashMap<>();
  private final SortedMap<String, TableEntry> tables = new TreeMap<>();

  private TableNames(String namespace, List<RecordEntry> entries) {
    this.namespace = namespace;
    Map<TableName, List<TableEntry>> called = new LinkedHashMap<>();
    for (RecordEntry record : entries) {
      records.put(record.id(), record.cells());
      Catalogue.tableOf(record.id())
          .map(id -> new TableEntry(id, record.cells()))
          .ifPresent(
              table -> {
                if (table.isThere()) {
                  called.computeIfAbsent(table.name(), name -> new ArrayList<>()).add(table);
                }
              });
    }
    List<TableEntry> others = new ArrayList<>();
    called.forEach(
        (name, all) -> {
          TableEntry first = first(name, all);
          tables.put(name.table(), first);
          all.stream().filter(table -> !table.id().equals(first.id())).forEach(others::add);
        });
    others.forEach(this::addOther);
  }

  /** Returns which of several tables, ordered by id, has the name that they share. */
  private TableEntry first(TableName name, List<TableEntry> called) {
    Optional<TableId> holder = holder(name);
    return called.stream()
        .filter(table -> holder.filter(table.id()::equals).isPresent())
        .findFirst()
        .orElse(called.get(0));
  }

  private void addOther(TableEntry table) {
    int attempt = 0;
    while (tables.putIfAbsent(table.other(attempt).table(), table) != null) {
      attempt++;
    }
  }

  static TableNames of(RecordReader reader, String namespace) {
    return new TableNames(namespace, Catalogue.entries(reader, Catalogue.tables(namespace)));
  }

  /** Returns the tables of all namespaces. */
  static List<TableNames> all(RecordReader reader) {
    Map<String, List<RecordEntry>> entries = new LinkedHashMap<>();
    for (RecordEntry entry : Catalogue.entries(reader, Catalogue.tables())) {
      entries
          .computeIfAbsent(Catalogue.namespaceOfTable(entry.id()), name -> new ArrayList<>())
          .add(entry);
    }
    List<TableNames> all = new ArrayList<>();
    entries.forEach((namespace, some) -> all.add(new TableNames(namespace, some)));
    return all;
  }

  String namespace() {
    return namespace;
  }

  /** Returns the existing tables, by name. */
  SortedMap<String, TableEntry> tables() {
    return tables;
  }

  Optional<TableEntry> find(TableName name) {
    return Optional.ofNullable(tables.get(name.table()));
  }

  /** Returns whether a table exists, under any name. */
  boolean has(TableId id) {
    return tables.values().stream().anyMatch(table -> table.id().equals(id));
  }

  /** Returns the table that has, or had, a name, according to the name's own record. */
  Optional<TableId> holder(TableName name) {
    return Optional.ofNullable(records.get(Catalogue.name(name)))
        .flatMap(cells -> Catalogue.holder(namespace, cells));
  }

  /**
   * Returns the records that determine who has a name, as they were; empty for those that did not
   * exist. While they are unchanged, nobody else in this data centre takes or yields the name.
   */
  RecordReadSet seen(TableName name) {
    Map<RecordId, Optional<Cells>> seen = new HashMap<>();
    List<RecordId> ids = new ArrayList<>(List.of(Catalogue.name(name)));
    holder(name).ifPresent(id -> ids.add(Catalogue.table(id)));
    find(name).ifPresent(table -> ids.add(Catalogue.table(table.id())));
    ids.forEach(id -> seen.put(id, Optional.ofNullable(records.get(id))));
    return new RecordReadSet(seen);
  }
}
