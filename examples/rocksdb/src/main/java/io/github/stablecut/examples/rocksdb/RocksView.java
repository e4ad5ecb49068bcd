package io.github.stablecut.examples.rocksdb;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.RecordCursor;
import io.github.stablecut.map.storage.RecordEntry;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordRange;
import io.github.stablecut.map.storage.RecordSnapshot;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;

/** A snapshot of the records. Confined to one thread; another one may close the database. */
final class RocksView implements RecordSnapshot, RocksLifetime.Resource {
  private final RocksLifetime lifetime;
  private final RocksDB database;
  private final Snapshot snapshot;
  private final ReadOptions options;

  /** To be created while the database stays open. */
  RocksView(RocksLifetime lifetime, RocksDB database) {
    this.lifetime = lifetime;
    this.database = database;
    this.snapshot = database.getSnapshot();
    this.options = new ReadOptions().setSnapshot(snapshot);
    lifetime.add(this);
  }

  private void checkOpen() {
    if (!lifetime.isOpen(this)) {
      throw new StoreClosedException("the snapshot is closed: take another one");
    }
  }

  @Override
  public Map<RecordId, Cells> read(Collection<RecordId> ids) {
    return lifetime.use(
        "reading",
        () -> {
          checkOpen();
          Map<RecordId, Cells> found = new HashMap<>();
          for (RecordId id : ids) {
            byte[] value = database.get(options, RocksFormat.key(id));
            if (value != null) {
              found.put(id, RocksFormat.cells(value));
            }
          }
          return found;
        });
  }

  @Override
  public RecordCursor scan(RecordRange range) {
    return cursor(range, () -> {});
  }

  /** Like {@link #scan}; closing the cursor also closes this snapshot. */
  RecordCursor scanAndClose(RecordRange range) {
    return cursor(range, this::close);
  }

  private RecordCursor cursor(RecordRange range, Runnable release) {
    return lifetime.use(
        "a scan",
        () -> {
          checkOpen();
          return new Cursor(lifetime, database, snapshot, range, release);
        });
  }

  @Override
  public void close() {
    lifetime.release(this);
  }

  @Override
  public void free() {
    options.close();
    database.releaseSnapshot(snapshot);
    snapshot.close();
  }

  /** A cursor over the records of a range. */
  private static final class Cursor implements RecordCursor, RocksLifetime.Resource {
    private final RocksLifetime lifetime;
    private final Slice from;
    private final Slice until;
    private final ReadOptions options;
    private final RocksIterator iterator;
    private final RecordRange range;
    private final Runnable release;
    private long left;
    private boolean isClosed;

    Cursor(
        RocksLifetime lifetime,
        RocksDB database,
        Snapshot snapshot,
        RecordRange range,
        Runnable release) {
      this.lifetime = lifetime;
      this.range = range;
      this.release = release;
      this.left = range.limit();
      this.from = new Slice(first(range));
      this.until = new Slice(last(range));
      this.options =
          new ReadOptions()
              .setSnapshot(snapshot)
              .setIterateLowerBound(from)
              .setIterateUpperBound(until);
      this.iterator = database.newIterator(options);
      lifetime.add(this);
      if (range.isDescending()) {
        iterator.seekToLast();
      } else {
        iterator.seekToFirst();
      }
    }

    private static byte[] first(RecordRange range) {
      return range
          .partition()
          .map(partition -> RocksFormat.key(range.space(), range.lead(), partition, range.low()))
          .orElseGet(() -> RocksFormat.key(range.space(), range.lead(), Bytes.EMPTY));
    }

    private static byte[] last(RecordRange range) {
      if (range.partition().isEmpty()) {
        return RocksFormat.after(RocksFormat.key(range.space(), range.lead(), Bytes.EMPTY));
      }
      Bytes partition = range.partition().get();
      return range
          .high()
          .map(high -> RocksFormat.key(range.space(), range.lead(), partition, high))
          .orElseGet(
              () ->
                  RocksFormat.after(
                      RocksFormat.key(range.space(), range.lead(), partition, Bytes.EMPTY)));
    }

    @Override
    public boolean hasNext() {
      return !isClosed && left > 0 && lifetime.use("a scan", this::isThere);
    }

    /** Whether there is a record; an iterator also ends after a read error. */
    private boolean isThere() throws RocksDBException {
      if (!iterator.isValid()) {
        iterator.status();
        return false;
      }
      return true;
    }

    @Override
    public RecordEntry next() {
      if (!hasNext()) {
        throw new NoSuchElementException("no further record");
      }
      return lifetime.use("a scan", this::read);
    }

    private RecordEntry read() {
      RecordEntry entry =
          new RecordEntry(RocksFormat.id(iterator.key()), RocksFormat.cells(iterator.value()));
      left--;
      if (range.isDescending()) {
        iterator.prev();
      } else {
        iterator.next();
      }
      return entry;
    }

    @Override
    public void close() {
      isClosed = true;
      lifetime.release(this);
      release.run();
    }

    @Override
    public void free() {
      iterator.close();
      options.close();
      from.close();
      until.close();
    }
  }
}
