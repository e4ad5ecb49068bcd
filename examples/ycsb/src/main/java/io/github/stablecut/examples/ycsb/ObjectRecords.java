package io.github.stablecut.examples.ycsb;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.object.collection.ComposedMap;
import io.github.stablecut.object.collection.ComposedTree;
import io.github.stablecut.object.collection.KeyedMap;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Records in a composed map of 1,024 buckets, as in the paper, or in a composed tree if they are
 * scanned.
 */
final class ObjectRecords implements RecordStore {
  private static final int BUCKETS = 1_024;

  /**
   * 100,000 records of 100 MB take three times as much: records and updates, which are summarized
   * once they reach twice the size. They take more until a checkpoint. RocksDB uses the page cache
   * instead.
   */
  private static final long CACHE_BYTES = Math.min(1L << 30, Runtime.getRuntime().maxMemory() / 4);

  private final Store store;
  private final KeyedMap<String, Bytes> map;

  ObjectRecords(Path directory, boolean isSynced, boolean isOrdered) {
    store =
        Stablecut.open(
            directory,
            StoreOptions.defaults()
                .withCache(CacheOptions.bytes(CACHE_BYTES))
                .withDurability(
                    isSynced ? Durability.batch() : Durability.periodic(Duration.ofSeconds(1))));
    ObjectSpace space = ObjectSpace.of(store);
    map =
        isOrdered
            ? ComposedTree.open(space, "ycsb", "usertable", Codec.string(), Codec.bytes())
            : ComposedMap.open(space, "ycsb", "usertable", BUCKETS, Codec.string(), Codec.bytes());
  }

  @Override
  public String name() {
    return "Stablecut";
  }

  @Override
  public Optional<byte[]> get(String key) {
    return Optional.ofNullable(map.get(key)).map(Bytes::toArray);
  }

  @Override
  public void put(String key, byte[] value) {
    map.fastPut(key, Bytes.wrap(value));
  }

  @Override
  public void delete(String key) {
    map.remove(key);
  }

  @Override
  public List<byte[]> scan(String from, int count) {
    if (map instanceof ComposedTree<String, Bytes> tree) {
      return tree.range(from, count).stream().map(entry -> entry.getValue().toArray()).toList();
    }
    throw new UnsupportedOperationException("a hash map is not scanned");
  }

  @Override
  public void close() {
    store.close();
  }
}
