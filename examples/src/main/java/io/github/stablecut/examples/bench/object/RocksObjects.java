package io.github.stablecut.examples.bench.object;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.CompressionType;
import org.rocksdb.EnvOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.SstFileWriter;

/**
 * Objects in RocksDB, loaded in its fastest way: as ingested sorted files. Compression is off,
 * because these objects don't compress.
 */
public final class RocksObjects implements ObjectTarget {
  private static final long OBJECTS_PER_FILE = 500_000;

  private final Path directory;
  private final Options options =
      new Options().setCreateIfMissing(true).setCompressionType(CompressionType.NO_COMPRESSION);
  private @Nullable RocksDB database;

  public RocksObjects(Path directory) {
    this.directory = directory;
  }

  @Override
  public void load(SampleObjects objects) throws RocksDBException {
    try (RocksDB writable = RocksDB.open(options, directory.toString());
        IngestExternalFileOptions move = new IngestExternalFileOptions().setMoveFiles(true)) {
      for (long from = 0; from < objects.count(); from += OBJECTS_PER_FILE) {
        String file = directory.resolveSibling("objects-" + from + ".sst").toString();
        writeFile(file, objects, from);
        writable.ingestExternalFile(List.of(file), move);
      }
    }
  }

  private void writeFile(String file, SampleObjects objects, long from) throws RocksDBException {
    try (EnvOptions environment = new EnvOptions();
        SstFileWriter writer = new SstFileWriter(environment, options)) {
      writer.open(file);
      long end = Math.min(objects.count(), from + OBJECTS_PER_FILE);
      for (long i = from; i < end; i++) {
        writer.put(objects.id(i), objects.state(i));
      }
      writer.finish();
    }
  }

  @Override
  public void open() throws RocksDBException {
    database = RocksDB.openReadOnly(options, directory.toString());
  }

  private RocksDB database() {
    RocksDB open = database;
    if (open == null) {
      throw new IllegalStateException("not open");
    }
    return open;
  }

  @Override
  public int find(byte[] id) throws RocksDBException {
    byte[] state = database().get(id);
    return state == null ? -1 : state.length;
  }

  @Override
  public long scan() {
    long count = 0;
    long bytes = 0;
    try (RocksIterator iterator = database().newIterator()) {
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        count++;
        bytes += iterator.key().length + iterator.value().length;
      }
    }
    return bytes > 0 ? count : 0;
  }

  @Override
  public void close() {
    RocksDB open = database;
    if (open != null) {
      open.close();
      database = null;
    }
  }
}
