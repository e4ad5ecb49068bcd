package io.github.stablecut.examples.rocksdb;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.Computed;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordCursor;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordRange;
import io.github.stablecut.map.storage.RecordReader;
import io.github.stablecut.map.storage.RecordSnapshot;
import io.github.stablecut.map.storage.RecordStorage;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Transaction;
import org.rocksdb.TransactionDB;
import org.rocksdb.TransactionDBOptions;
import org.rocksdb.WriteOptions;

/**
 * Records in RocksDB. A computation is a transaction that locks its records in their order, so that
 * no deadlock arises, and syncs the write-ahead log. Thread-safe.
 */
final class RocksRecords implements RecordStorage {
  private final RocksLifetime lifetime = new RocksLifetime();
  private final Options options = new Options().setCreateIfMissing(true);
  private final TransactionDBOptions transactions = new TransactionDBOptions();
  private final WriteOptions synced = new WriteOptions().setSync(true);
  private final ReadOptions newest = new ReadOptions();
  private final TransactionDB database;

  /**
   * @throws io.github.stablecut.error.NotAStoreException if the directory contains something else
   * @throws io.github.stablecut.error.StoreInUseException if the database is already open
   */
  RocksRecords(Path directory) {
    try {
      RocksDirectory.check(directory);
      database = TransactionDB.open(options, transactions, directory.toString());
    } catch (RocksDBException e) {
      freeOptions();
      throw RocksDirectory.failed(directory, e);
    } catch (RuntimeException | Error e) {
      freeOptions();
      throw e;
    }
  }

  @Override
  public Map<RecordId, Cells> read(Collection<RecordId> ids) {
    try (RocksView view = view()) {
      return view.read(ids);
    }
  }

  @Override
  public RecordCursor scan(RecordRange range) {
    RocksView view = view();
    try {
      return view.scanAndClose(range);
    } catch (RuntimeException | Error e) {
      view.close();
      throw e;
    }
  }

  @Override
  public RecordSnapshot snapshot() {
    return view();
  }

  private RocksView view() {
    return lifetime.use("a snapshot", () -> new RocksView(lifetime, database));
  }

  @Override
  public <R> R compute(
      Collection<RecordId> ids, Function<Map<RecordId, Cells>, Computed<R>> function) {
    return lifetime.use("a write", () -> transact(ids, function));
  }

  private <R> R transact(
      Collection<RecordId> ids, Function<Map<RecordId, Cells>, Computed<R>> function)
      throws RocksDBException {
    try (Transaction transaction = database.beginTransaction(synced)) {
      Map<RecordId, Cells> found = new HashMap<>();
      for (RecordId id : new TreeSet<>(ids)) {
        byte[] value = transaction.getForUpdate(newest, RocksFormat.key(id), true);
        if (value != null) {
          found.put(id, RocksFormat.cells(value));
        }
      }
      Computed<R> computed = function.apply(Map.copyOf(found));
      for (RecordChange change : computed.changes()) {
        make(change, found, transaction);
      }
      transaction.commit();
      return computed.result();
    }
  }

  private static void make(RecordChange change, Map<RecordId, Cells> found, Transaction transaction)
      throws RocksDBException {
    byte[] key = RocksFormat.key(change.id());
    if (change instanceof RecordChange.Write write) {
      Cells cells = found.getOrDefault(write.id(), Cells.NONE).with(write.cells());
      found.put(write.id(), cells);
      transaction.put(key, RocksFormat.value(cells));
    } else {
      found.remove(change.id());
      transaction.delete(key);
    }
  }

  @Override
  public void clear(Bytes space, Bytes leadPrefix, Predicate<? super RecordReader> goesOn) {
    byte[] from = RocksFormat.key(space, leadPrefix);
    byte[] until = RocksFormat.after(from);
    // A range deletion would bypass the locks of transactions; a TransactionDB refuses it.
    boolean isLeft = true;
    while (isLeft && goesOn.test(this)) {
      isLeft = lifetime.use("a removal", () -> deleteSome(from, until));
    }
  }

  /** Deletes up to a thousand keys; returns whether there were any. */
  private boolean deleteSome(byte[] from, byte[] until) throws RocksDBException {
    int count = 0;
    try (Transaction transaction = database.beginTransaction(synced);
        Slice low = new Slice(from);
        Slice high = new Slice(until);
        ReadOptions range = new ReadOptions().setIterateLowerBound(low).setIterateUpperBound(high);
        RocksIterator keys = database.newIterator(range)) {
      for (keys.seekToFirst(); keys.isValid() && count < 1_000; keys.next()) {
        transaction.delete(keys.key());
        count++;
      }
      keys.status();
      transaction.commit();
    }
    return count > 0;
  }

  /** {@inheritDoc} Ends open scans and snapshots. */
  @Override
  public void close() {
    lifetime.close(
        () -> {
          database.close();
          freeOptions();
        });
  }

  private void freeOptions() {
    newest.close();
    synced.close();
    transactions.close();
    options.close();
  }
}
