package io.github.stablecut.examples.ycsb;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.Vector;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/** A YCSB binding of a store, one per client thread. Confined to its thread. */
final class Binding extends DB {
  private final RecordStore store;

  Binding(RecordStore store) {
    this.store = store;
  }

  @Override
  public Status read(
      String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
    Optional<byte[]> found = store.get(key);
    found.ifPresent(record -> Records.show(record, fields, result));
    return found.isPresent() ? Status.OK : Status.NOT_FOUND;
  }

  @Override
  @SuppressWarnings({"JdkObsolete", "NonApiType"}) // YCSB's
  public Status scan(
      String table,
      String from,
      int count,
      @Nullable Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    for (byte[] record : store.scan(from, count)) {
      HashMap<String, ByteIterator> shown = new HashMap<>();
      Records.show(record, fields, shown);
      result.add(shown);
    }
    return Status.OK;
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    // The workloads write all fields (writeallfields), so nothing of the old record must stay.
    return insert(table, key, values);
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    store.put(key, Records.encode(Records.of(values)));
    return Status.OK;
  }

  @Override
  public Status delete(String table, String key) {
    store.delete(key);
    return Status.OK;
  }
}
