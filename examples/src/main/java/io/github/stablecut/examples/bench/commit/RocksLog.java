package io.github.stablecut.examples.bench.commit;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;
import org.rocksdb.WriteOptions;

/** RocksDB with a synced write-ahead log, a common embedded choice. */
public final class RocksLog implements CommitTarget {
  private final Statistics statistics = new Statistics();
  private final Options options = new Options().setCreateIfMissing(true).setStatistics(statistics);
  private final WriteOptions synced = new WriteOptions().setSync(true);
  private final AtomicLong nextKey = new AtomicLong();
  private final RocksDB database;

  public RocksLog(Path directory) throws RocksDBException {
    database = RocksDB.open(options, directory.toString());
  }

  @Override
  public void commit(byte[] body) {
    byte[] key = ByteBuffer.allocate(Long.BYTES).putLong(nextKey.getAndIncrement()).array();
    try {
      database.put(synced, key, body);
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public long syncs() {
    return statistics.getTickerCount(TickerType.WAL_FILE_SYNCED);
  }

  @Override
  public void close() {
    database.close();
    synced.close();
    options.close();
    statistics.close();
  }
}
