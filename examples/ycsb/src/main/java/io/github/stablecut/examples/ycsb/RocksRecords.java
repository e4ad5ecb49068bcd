package io.github.stablecut.examples.ycsb;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/** Records in RocksDB. */
final class RocksRecords implements RecordStore {
  private final Options options = new Options().setCreateIfMissing(true);
  private final WriteOptions writes;
  private final RocksDB database;

  RocksRecords(Path directory, boolean isSynced) throws RocksDBException {
    writes = new WriteOptions().setSync(isSynced);
    database = RocksDB.open(options, directory.toString());
  }

  private static byte[] bytes(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }

  private static IllegalStateException failed(RocksDBException cause) {
    return new IllegalStateException("RocksDB failed", cause);
  }

  @Override
  public String name() {
    return "RocksDB";
  }

  @Override
  public Optional<byte[]> get(String key) {
    try {
      return Optional.ofNullable(database.get(bytes(key)));
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public void put(String key, byte[] value) {
    try {
      database.put(writes, bytes(key), value);
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public void delete(String key) {
    try {
      database.delete(writes, bytes(key));
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public List<byte[]> scan(String from, int count) {
    List<byte[]> found = new ArrayList<>();
    try (RocksIterator iterator = database.newIterator()) {
      for (iterator.seek(bytes(from));
          iterator.isValid() && found.size() < count;
          iterator.next()) {
        found.add(iterator.value());
      }
    }
    return found;
  }

  @Override
  public void close() {
    database.close();
    writes.close();
    options.close();
  }
}
