package io.github.stablecut.map;

import io.github.stablecut.Snapshot;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.map.internal.SnapshotRecords;
import io.github.stablecut.map.internal.StorageUris;
import io.github.stablecut.map.internal.StoreRecords;
import io.github.stablecut.map.internal.StoredTables;
import io.github.stablecut.map.internal.TransactionTables;
import io.github.stablecut.map.storage.RecordStorage;

/**
 * A multidimensional map: namespaces contain tables, tables contain records, and records have
 * columns. Thread-safe.
 *
 * <pre>{@code
 * try (TableMap map = TableMap.open("stablecut:data")) {
 *   map.createNamespace("bank");
 *   map.createTable(accounts);
 *   map.mutate(Put.of(accounts.key("eve", 1)).value("balance", 100L).ifNotExists());
 *   boolean paid =
 *       map.mutate(
 *           Put.of(accounts.key("eve", 1)).value("balance", 60L).onlyIf(Comparison.equal("balance", 100L)),
 *           Put.of(accounts.key("eve", 2)).value("balance", 40L).ifNotExists());
 * }
 * }</pre>
 *
 * <p>{@link #mutate} is linearizable, and durable when it returns. {@link #get} sees all that any
 * node of a cluster acknowledged before the call. {@link #scan} does as well, at one moment.
 */
public interface TableMap extends TableAccess, TableAdministration, AutoCloseable {
  /**
   * Opens the tables that a URI identifies. It is one of:
   *
   * <ul>
   *   <li>{@code stablecut:DIRECTORY}, a store in this process;
   *   <li>{@code stablecut://HOST:PORT}, the store of a server or a cluster, as {@link
   *       Stablecut#connect} takes it;
   *   <li>the URI of a storage on the class path, such as {@code rocksdb:DIRECTORY}.
   * </ul>
   *
   * <p>Nothing else in a program depends on the storage.
   *
   * @param uri of a directory with settings such as {@code ?partitions=4&durability=group(10ms)}:
   *     {@code partitions} of a new store; {@code durability}, which is {@code batch}, {@code
   *     group(10ms)} or {@code periodic(1s)}; {@code value-bytes}, the maximum in one write of a
   *     record. A server has its own settings
   * @throws io.github.stablecut.error.NoConnectorException if nothing on the class path supports
   *     the scheme
   * @throws io.github.stablecut.error.StablecutException if the server does not answer
   * @throws IllegalArgumentException if the URI is invalid
   */
  static TableMap open(String uri) {
    return over(StorageUris.open(uri));
  }

  /** Returns the tables in a storage. The storage is closed with them, and if this throws. */
  static TableMap over(RecordStorage storage) {
    return StoredTables.over(storage);
  }

  /** Returns the tables in a store, embedded or remote; closing them does not close the store. */
  static TableMap over(Store store) {
    return over(new StoreRecords(store, false));
  }

  /**
   * Returns the tables as a transaction of the store sees them, with its own updates. The
   * transaction may use other objects too. The tables and their cursors end with the transaction.
   *
   * <p>Conditions of mutations are evaluated on what the transaction sees: its snapshot with its
   * own updates. Another transaction may invalidate them before this one commits. For instance, two
   * {@code ifNotExists} for one key may both succeed, unless the transaction certifies what it has
   * read ({@link io.github.stablecut.option.Certification#READS_WRITES}): then its commit fails.
   */
  static TableAccess in(Transaction transaction) {
    return new TransactionTables(transaction);
  }

  /** Returns the tables as a snapshot of the store shows them, present or past. */
  static TableReader at(Snapshot snapshot) {
    return StoredTables.reader(new SnapshotRecords(snapshot, () -> {}));
  }

  /** Returns the tables as they are now; they stay so until the snapshot is closed. */
  TableSnapshot snapshot();

  /** Closes what {@link #open} opened. Idempotent. */
  @Override
  void close();
}
