package io.github.stablecut.map;

import io.github.stablecut.Snapshot;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.map.storage.RecordStorage;

/**
 * A map of several dimensions: namespaces of tables of records of columns. Thread-safe.
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
 * <p>{@link #mutate} is linearisable, and durable when it returns. {@link #get} sees all that was
 * acknowledged before, by whichever node of a cluster, {@link #scan} as well, at one moment.
 */
public interface TableMap extends TableAccess, TableAdministration, AutoCloseable {
  /**
   * Opens the tables that a URI stands for: {@code stablecut:DIRECTORY}, a store in this process;
   * {@code stablecut://HOST:PORT}, one that a server or a cluster has, as {@link Stablecut#connect}
   * takes it; or one of a storage on the class path, such as {@code rocksdb:DIRECTORY}. Nothing
   * else of a program depends on the storage.
   *
   * @param uri of a directory with settings such as {@code ?partitions=4&durability=group(10ms)}:
   *     {@code partitions} of a new store; {@code durability}, which is {@code batch}, {@code
   *     group(10ms)} or {@code periodic(1s)}; {@code value-bytes}, the most in one write of a
   *     record. A server has its own settings
   * @throws io.github.stablecut.error.NoConnectorException if nothing on the class path knows the
   *     scheme
   * @throws io.github.stablecut.error.StablecutException if the server does not answer
   * @throws IllegalArgumentException if the URI is none
   */
  static TableMap open(String uri) {
    return over(StorageUris.open(uri));
  }

  /** The tables in a storage, which is closed with them, and if this throws. */
  static TableMap over(RecordStorage storage) {
    return StoredTables.over(storage);
  }

  /** The tables in a store, wherever it is; closing them does not close it. */
  static TableMap over(Store store) {
    return over(new StoreRecords(store, false));
  }

  /**
   * The tables as a transaction of the store sees them, with its own updates, beside the other
   * objects. Ends with the transaction, and so do its cursors.
   *
   * <p>Conditions of mutations are about what the transaction sees: its snapshot with its own
   * updates. Another transaction may make them untrue before this one is committed, so that, for
   * instance, two {@code ifNotExists} for one key succeed both, unless the transaction certifies
   * what it has read ({@link io.github.stablecut.option.Certification#READS_WRITES}): then its
   * commit fails.
   */
  static TableAccess in(Transaction transaction) {
    return new TransactionTables(transaction);
  }

  /** The tables as a snapshot of the store has them, whether of now or of the past. */
  static TableReader at(Snapshot snapshot) {
    return StoredTables.reader(new SnapshotRecords(snapshot, () -> {}));
  }

  /** The tables as they are now; they stay so until this is closed. */
  TableSnapshot snapshot();

  /** Closes what {@link #open} opened. Idempotent. */
  @Override
  void close();
}
