package io.github.stablecut.examples.bench.counter;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/** Counters in RocksDB, with its merge operator for numbers and a synced write-ahead log. */
public final class RocksCounters implements CounterTarget {
  private static final byte[] ONE = little(1);

  private final Options options =
      new Options().setCreateIfMissing(true).setMergeOperatorName("uint64add");
  private final WriteOptions synced = new WriteOptions().setSync(true);
  private final RocksDB database;

  public RocksCounters(Path directory) throws RocksDBException {
    database = RocksDB.open(options, directory.toString());
  }

  private static byte[] little(long number) {
    return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(number).array();
  }

  @Override
  public void increment(int counter) {
    try {
      database.merge(synced, little(counter), ONE);
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public long read(int counter) {
    try {
      byte[] value = database.get(little(counter));
      return value == null ? 0 : ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN).getLong();
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    database.close();
    synced.close();
    options.close();
  }
}
