package io.github.stablecut.examples.scalardb;

import static com.scalar.db.util.ScalarDbUtils.getFullTableName;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.scalar.db.api.DistributedStorageAdmin;
import com.scalar.db.api.StorageInfo;
import com.scalar.db.api.TableMetadata;
import com.scalar.db.api.VirtualTableInfo;
import com.scalar.db.api.VirtualTableJoinType;
import com.scalar.db.common.CoreError;
import com.scalar.db.common.StorageInfoImpl;
import com.scalar.db.exception.storage.ExecutionException;
import com.scalar.db.io.DataType;
import io.github.stablecut.error.DamageException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.map.Column;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableName;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Administers tables for ScalarDB. {@link com.scalar.db.common.CommonDistributedStorageAdmin},
 * which wraps this, checks what exists. Mutations of any tables are atomic, and virtual tables are
 * read in one snapshot. Thread-safe.
 */
final class StablecutAdmin implements DistributedStorageAdmin {
  private static final StorageInfo INFO =
      new StorageInfoImpl(
          StablecutProvider.NAME,
          StorageInfo.MutationAtomicityUnit.STORAGE,
          Integer.MAX_VALUE,
          true);

  private final SharedMap shared;

  StablecutAdmin(SharedMap shared) {
    this.shared = shared;
  }

  private TableMap map() {
    return shared.map();
  }

  /** An administrative operation. */
  private interface Call<T> {
    T run();
  }

  @CanIgnoreReturnValue
  private static <T> T call(Call<T> call) throws ExecutionException {
    try {
      return call.run();
    } catch (StablecutException e) {
      throw new ExecutionException(String.valueOf(e.getMessage()), e);
    }
  }

  private static void run(Runnable call) throws ExecutionException {
    call(
        () -> {
          call.run();
          return true;
        });
  }

  @Override
  public StorageInfo getStorageInfo(String namespace) {
    return INFO;
  }

  @Override
  public void createNamespace(String namespace, Map<String, String> options)
      throws ExecutionException {
    run(() -> map().createNamespace(namespace));
  }

  @Override
  public void dropNamespace(String namespace) throws ExecutionException {
    List<String> left = call(() -> map().tables(namespace));
    if (!left.isEmpty()) {
      throw new IllegalArgumentException(
          CoreError.NAMESPACE_WITH_NON_SCALARDB_TABLES_CANNOT_BE_DROPPED.buildMessage(
              namespace, left));
    }
    run(() -> map().dropNamespace(namespace));
  }

  @Override
  public boolean namespaceExists(String namespace) throws ExecutionException {
    return getNamespaceNames().contains(namespace);
  }

  @Override
  public Set<String> getNamespaceNames() throws ExecutionException {
    Set<String> names = new HashSet<>(call(() -> map().namespaces()));
    names.add(VirtualTables.NAMESPACE);
    return names;
  }

  @Override
  public Set<String> getNamespaceTableNames(String namespace) throws ExecutionException {
    return call(
        () -> {
          Set<String> names = new HashSet<>();
          map().tables(namespace).stream()
              .filter(table -> isKnown(new TableName(namespace, table)))
              .forEach(names::add);
          VirtualTables.all(map()).stream()
              .filter(info -> info.getNamespaceName().equals(namespace))
              .forEach(info -> names.add(info.getTableName()));
          return names;
        });
  }

  /** Whether a table is defined, even if damage has made its definition unreadable. */
  private boolean isKnown(TableName name) {
    try {
      return map().table(name).isPresent();
    } catch (DamageException e) {
      return true;
    }
  }

  @Override
  public void createTable(
      String namespace, String table, TableMetadata metadata, Map<String, String> options)
      throws ExecutionException {
    run(() -> map().createTable(Schemas.table(new TableName(namespace, table), metadata)));
  }

  @Override
  public void dropTable(String namespace, String table) throws ExecutionException {
    TableName name = new TableName(namespace, table);
    if (call(() -> VirtualTables.find(map(), map(), name)).isPresent()) {
      run(() -> VirtualTables.drop(map(), name));
      return;
    }
    List<String> users = users(name);
    if (!users.isEmpty()) {
      throw new IllegalArgumentException(
          CoreError.SOURCE_TABLES_CANNOT_BE_DROPPED_WHILE_VIRTUAL_TABLES_EXIST.buildMessage(
              getFullTableName(namespace, table), String.join(",", users)));
    }
    run(() -> map().dropTable(name));
  }

  /** The virtual tables that have a table as a source. */
  private List<String> users(TableName name) throws ExecutionException {
    return call(() -> VirtualTables.all(map())).stream()
        .filter(info -> info.left().equals(name) || info.right().equals(name))
        .map(info -> getFullTableName(info.getNamespaceName(), info.getTableName()))
        .toList();
  }

  @Override
  public void truncateTable(String namespace, String table) throws ExecutionException {
    TableName name = new TableName(namespace, table);
    Optional<VirtualTables.Info> info = call(() -> VirtualTables.find(map(), map(), name));
    for (TableName source :
        info.map(virtual -> List.of(virtual.left(), virtual.right())).orElse(List.of(name))) {
      run(() -> map().truncateTable(source));
    }
  }

  @Override
  public @Nullable TableMetadata getTableMetadata(String namespace, String table)
      throws ExecutionException {
    return call(() -> metadata(new TableName(namespace, table))).orElse(null);
  }

  private Optional<TableMetadata> metadata(TableName name) {
    Optional<TableMetadata> plain = map().table(name).map(Schemas::metadata);
    if (plain.isPresent()) {
      return plain;
    }
    return VirtualTables.find(map(), map(), name)
        .flatMap(
            info ->
                metadata(info.left())
                    .flatMap(
                        left -> metadata(info.right()).map(right -> Schemas.joined(left, right))));
  }

  @Override
  public void createIndex(
      String namespace, String table, String column, Map<String, String> options)
      throws ExecutionException {
    TableName source = source(new TableName(namespace, table), column);
    run(() -> map().createIndex(source, column));
  }

  @Override
  public void dropIndex(String namespace, String table, String column) throws ExecutionException {
    TableName source = source(new TableName(namespace, table), column);
    run(() -> map().dropIndex(source, column));
  }

  /** The table that has a column; for a virtual table, one of its sources. */
  private TableName source(TableName name, String column) throws ExecutionException {
    return call(
        () ->
            VirtualTables.find(map(), map(), name)
                .map(
                    info ->
                        map()
                                .table(info.left())
                                .filter(left -> left.find(column).isPresent())
                                .isPresent()
                            ? info.left()
                            : info.right())
                .orElse(name));
  }

  @Override
  public void repairTable(
      String namespace, String table, TableMetadata metadata, Map<String, String> options)
      throws ExecutionException {
    TableName name = plain(namespace, table, "repairTable()");
    run(() -> map().repairTable(Schemas.table(name, metadata)));
  }

  @Override
  public void addNewColumnToTable(String namespace, String table, String column, DataType type)
      throws ExecutionException {
    TableName name = plain(namespace, table, "addNewColumnToTable()");
    run(() -> map().addColumn(name, new Column(column, Values.type(type))));
  }

  @Override
  public void dropColumnFromTable(String namespace, String table, String column)
      throws ExecutionException {
    TableName name = plain(namespace, table, "dropColumnFromTable()");
    run(() -> map().dropColumn(name, column));
  }

  @Override
  public void renameColumn(String namespace, String table, String column, String newName)
      throws ExecutionException {
    TableName name = plain(namespace, table, "renameColumn()");
    run(() -> map().renameColumn(name, column, newName));
  }

  @Override
  public void alterColumnType(String namespace, String table, String column, DataType type)
      throws ExecutionException {
    TableName name = plain(namespace, table, "alterColumnType()");
    run(() -> map().changeType(name, column, Values.type(type)));
  }

  @Override
  public void renameTable(String namespace, String table, String newName)
      throws ExecutionException {
    TableName name = plain(namespace, table, "renameTable()");
    run(() -> map().renameTable(name, newName));
  }

  /** A table that is neither virtual nor the source of a virtual table. */
  private TableName plain(String namespace, String table, String method) throws ExecutionException {
    TableName name = new TableName(namespace, table);
    if (call(() -> VirtualTables.find(map(), map(), name)).isPresent() || !users(name).isEmpty()) {
      throw new UnsupportedOperationException(
          "Currently, %s is not supported for virtual tables and their source tables: %s"
              .formatted(method, name));
    }
    return name;
  }

  @Override
  public void importTable(
      String namespace, String table, Map<String, String> options, Map<String, DataType> types) {
    throw new UnsupportedOperationException(
        "Stablecut has no tables that ScalarDB could import: create %s.%s"
            .formatted(namespace, table));
  }

  @Override
  public void createVirtualTable(
      String namespace,
      String table,
      String leftNamespace,
      String leftTable,
      String rightNamespace,
      String rightTable,
      VirtualTableJoinType join,
      Map<String, String> options)
      throws ExecutionException {
    VirtualTables.Info info =
        new VirtualTables.Info(
            new TableName(namespace, table),
            new TableName(leftNamespace, leftTable),
            new TableName(rightNamespace, rightTable),
            join);
    run(() -> VirtualTables.create(map(), info));
  }

  @Override
  public Optional<VirtualTableInfo> getVirtualTableInfo(String namespace, String table)
      throws ExecutionException {
    return call(() -> VirtualTables.find(map(), map(), new TableName(namespace, table)))
        .map(info -> info);
  }

  @Override
  public void close() {
    shared.close();
  }
}
