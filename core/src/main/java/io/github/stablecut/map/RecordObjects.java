package io.github.stablecut.map;

import io.github.stablecut.Reader;
import io.github.stablecut.Scan;
import io.github.stablecut.StoredObject;
import io.github.stablecut.Values;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.LwwRegister;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.RecursiveResetMap;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordCursor;
import io.github.stablecut.map.storage.RecordEntry;
import io.github.stablecut.map.storage.RecordId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Records as objects of a store: a map of registers in which the last writer wins, one per cell,
 * named by the number of the column in four bytes, and one without a name, which is there as long
 * as the record is. To remove a record is to clear the map: a concurrent write stays, and keeps it
 * there.
 */
final class RecordObjects {
  private static final MapKey<LwwRegister.Operation, Optional<Bytes>> THERE = place(Bytes.EMPTY);
  private static final LwwRegister.Operation MARK = new LwwRegister.Assign(Bytes.EMPTY);

  private RecordObjects() {}

  /** The key of a record's object. */
  record ObjectOf(
      RecordId id, ObjectKey<RecursiveResetMap.Operation, Map<MapKey<?, ?>, Object>> key) {}

  private static MapKey<LwwRegister.Operation, Optional<Bytes>> place(Bytes name) {
    return new MapKey<>(name, LwwRegister.TYPE);
  }

  static ObjectKey<RecursiveResetMap.Operation, Map<MapKey<?, ?>, Object>> key(RecordId id) {
    return RecordNames.key(id, RecursiveResetMap.TYPE);
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
      return cells(reader.read(key(id))).map(cells -> Map.of(id, cells)).orElse(Map.of());
    }
    List<ObjectOf> objects = objects(ids);
    return objects.isEmpty()
        ? Map.of()
        : cells(objects, reader.read(objects.stream().map(ObjectOf::key).toList()));
  }

  /** Those of some records that are there. */
  static Map<RecordId, Cells> cells(List<ObjectOf> objects, Values values) {
    Map<RecordId, Cells> found = new HashMap<>();
    objects.forEach(
        object -> cells(values.get(object.key)).ifPresent(cells -> found.put(object.id, cells)));
    return found;
  }

  /** The cells in the value of an object; empty if the record is not there. */
  static Optional<Cells> cells(Map<MapKey<?, ?>, Object> value) {
    if (THERE.in(value).isEmpty()) {
      return Optional.empty();
    }
    TreeMap<Integer, Bytes> cells = new TreeMap<>();
    value.forEach(
        (place, register) -> {
          if (place.key().length() == Integer.BYTES
              && register instanceof Optional<?> assigned
              && assigned.isPresent()) {
            cells.put(ByteBuffer.wrap(place.key().toArray()).getInt(), (Bytes) assigned.get());
          }
        });
    return Optional.of(new Cells(cells));
  }

  /** What does a change. */
  static Update update(RecordChange change) {
    if (change instanceof RecordChange.Write write) {
      List<RecursiveResetMap.Part> parts = new ArrayList<>();
      parts.add(new RecursiveResetMap.Update<>(THERE, MARK));
      new TreeMap<>(write.cells()).forEach((column, value) -> parts.add(part(column, value)));
      return key(write.id()).update(new RecursiveResetMap.Batch(parts));
    }
    return key(change.id()).update(new RecursiveResetMap.Reset());
  }

  /**
   * What is told if changes exceed a limit of the store, whose own words are about objects.
   *
   * @param cause names the limit
   */
  static LimitExceededException tooLarge(
      Collection<RecordChange> changes, LimitExceededException cause) {
    long largest = changes.stream().mapToLong(RecordObjects::bytes).max().orElse(0);
    long all = changes.stream().mapToLong(RecordObjects::bytes).sum();
    return new LimitExceededException(
        "writes of %,d records and entries of indexes with %,d bytes, the largest with %,d, are more than the store takes for one record (16 MiB unless set otherwise) or for all of a call or transaction (64 MiB): write less at once, or raise the limits, by value-bytes in the URI or StoreOptions.withLimits"
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

  private static RecursiveResetMap.Part part(int column, Optional<Bytes> value) {
    MapKey<LwwRegister.Operation, Optional<Bytes>> place =
        place(Bytes.wrap(ByteBuffer.allocate(Integer.BYTES).putInt(column).array()));
    return value
        .<RecursiveResetMap.Part>map(
            given -> new RecursiveResetMap.Update<>(place, new LwwRegister.Assign(given)))
        .orElseGet(() -> new RecursiveResetMap.Remove(place));
  }

  /** The records of a scan; closes it. */
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

    /**
     * Empty if the object is a record that was removed while a cell of it was written concurrently.
     */
    @SuppressWarnings("unchecked") // the value of such an object
    private static Optional<RecordEntry> entry(StoredObject object) {
      return cells((Map<MapKey<?, ?>, Object>) object.value())
          .map(cells -> new RecordEntry(RecordNames.id(object.bucket(), object.key()), cells));
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
