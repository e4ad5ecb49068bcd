package io.github.stablecut.map.internal;

import io.github.stablecut.Reader;
import io.github.stablecut.Scan;
import io.github.stablecut.StoredObject;
import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.register.LwwRecord;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordCursor;
import io.github.stablecut.map.storage.RecordEntry;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.option.ScanOptions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Records as objects of a store, each a {@link LwwRecord}. */
final class RecordObjects {
  /** The maximum number of records that a transaction removes. */
  private static final int CLEARED_AT_ONCE = 1_000;

  private RecordObjects() {}

  /** The key of a record's object. */
  record ObjectOf(
      RecordId id, ObjectKey<LwwRecord.Operation, Optional<SortedMap<Integer, Bytes>>> key) {}

  static ObjectKey<LwwRecord.Operation, Optional<SortedMap<Integer, Bytes>>> key(RecordId id) {
    return RecordNames.key(id, LwwRecord.TYPE);
  }

  static Key<?>[] keys(Collection<RecordId> ids) {
    return ids.stream().map(RecordObjects::key).toArray(Key<?>[]::new);
  }

  static List<ObjectOf> objects(Collection<RecordId> ids) {
    List<ObjectOf> objects = new ArrayList<>(ids.size());
    ids.forEach(id -> objects.add(new ObjectOf(id, key(id))));
    return objects;
  }

  static Map<RecordId, Cells> read(Reader reader, Collection<RecordId> ids) {
    if (ids.size() == 1) {
      RecordId id = ids.iterator().next();
      return reader.read(key(id)).map(cells -> Map.of(id, new Cells(cells))).orElse(Map.of());
    }
    List<ObjectOf> objects = objects(ids);
    return objects.isEmpty()
        ? Map.of()
        : cells(objects, reader.read(objects.stream().map(ObjectOf::key).toList()));
  }

  /** Returns those of some records that exist. */
  static Map<RecordId, Cells> cells(List<ObjectOf> objects, Values values) {
    Map<RecordId, Cells> found = new HashMap<>();
    objects.forEach(
        object ->
            values.get(object.key).ifPresent(cells -> found.put(object.id, new Cells(cells))));
    return found;
  }

  /** Returns the update that makes a change. */
  static Update update(RecordChange change) {
    return key(change.id())
        .update(
            change instanceof RecordChange.Write write
                ? new LwwRecord.Write(new TreeMap<>(write.cells()))
                : new LwwRecord.Reset());
  }

  /**
   * Returns the exception for changes that exceed a limit of the store. It replaces the store's
   * message, which is about objects. Without changes, the reads exceeded the limit, and the store's
   * exception is returned.
   *
   * @param cause names the limit
   */
  static LimitExceededException tooLarge(
      Collection<RecordChange> changes, LimitExceededException cause) {
    if (changes.isEmpty()) {
      return cause;
    }
    long largest = changes.stream().mapToLong(RecordObjects::bytes).max().orElse(0);
    long all = changes.stream().mapToLong(RecordObjects::bytes).sum();
    return new LimitExceededException(
        "writes of %,d records and index entries with %,d bytes, the largest of %,d bytes, exceed the limits of the store: by default a record may have 16 MiB, and a call or a transaction 64 MiB; write less at once, or raise the limits with value-bytes in the URI, StoreOptions.withLimits, or a server's store.max-operation-bytes"
            .formatted(changes.size(), all, largest),
        cause);
  }

  private static long bytes(RecordChange change) {
    long bytes = 0;
    if (change instanceof RecordChange.Write write) {
      for (Optional<Bytes> value : write.cells().values()) {
        bytes += value.map(Bytes::length).orElse(0);
      }
    }
    return bytes;
  }

  /**
   * Removes the first records of a range, as a transaction sees them.
   *
   * @param range a range of keys only
   * @return the remaining range; empty if nothing remains
   */
  static Optional<ScanOptions> clear(Transaction transaction, ScanOptions range) {
    List<Bytes> keys = new ArrayList<>();
    try (Scan scan = transaction.scan(range.limit(CLEARED_AT_ONCE))) {
      scan.forEachRemaining(
          object -> {
            keys.add(object.key());
            if (object.type().equals(LwwRecord.TYPE)) {
              transaction.update(
                  Key.of(object.bucket(), object.key(), LwwRecord.TYPE)
                      .update(new LwwRecord.Reset()));
            }
          });
    }
    return keys.size() < CLEARED_AT_ONCE
        ? Optional.empty()
        : Optional.of(range.after(keys.get(keys.size() - 1)));
  }

  /** Returns the records of a scan; closing the cursor closes the scan. */
  static RecordCursor cursor(Scan scan, long limit) {
    return new Cursor(scan, limit);
  }

  private static final class Cursor implements RecordCursor {
    private final Scan scan;
    private long left;
    private @Nullable RecordEntry next;

    Cursor(Scan scan, long limit) {
      this.scan = scan;
      this.left = limit;
    }

    @Override
    public boolean hasNext() {
      while (next == null && left > 0 && scan.hasNext()) {
        next = entry(scan.next()).orElse(null);
      }
      return next != null;
    }

    @SuppressWarnings("unchecked") // the value of an object of this type
    private static Optional<RecordEntry> entry(StoredObject object) {
      if (!object.type().equals(LwwRecord.TYPE)) {
        throw new FormatException(
            "object %s in bucket %s is a %s instead of a record of a table, as in tables of earlier versions: export them with the earlier version"
                .formatted(object.key(), object.bucket(), object.type().name()));
      }
      return ((Optional<SortedMap<Integer, Bytes>>) object.value())
          .map(
              cells ->
                  new RecordEntry(RecordNames.id(object.bucket(), object.key()), new Cells(cells)));
    }

    @Override
    public RecordEntry next() {
      if (!hasNext()) {
        throw new NoSuchElementException("no further record");
      }
      RecordEntry entry = Objects.requireNonNull(next);
      next = null;
      left--;
      return entry;
    }

    @Override
    public void close() {
      scan.close();
    }
  }
}
