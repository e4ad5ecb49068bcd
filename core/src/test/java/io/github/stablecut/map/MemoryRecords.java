package io.github.stablecut.map;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.Computed;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordCursor;
import io.github.stablecut.map.storage.RecordEntry;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordRange;
import io.github.stablecut.map.storage.RecordReader;
import io.github.stablecut.map.storage.RecordSnapshot;
import io.github.stablecut.map.storage.RecordStorage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** Records in a sorted map under one lock: the reference implementation. */
public final class MemoryRecords implements RecordStorage {
  private TreeMap<RecordId, Cells> records = new TreeMap<>();

  /** The names of all records. */
  public synchronized List<RecordId> ids() {
    return List.copyOf(records.keySet());
  }

  private record Copy(TreeMap<RecordId, Cells> records) implements RecordSnapshot {
    @Override
    public Map<RecordId, Cells> read(Collection<RecordId> ids) {
      Map<RecordId, Cells> found = new HashMap<>(records);
      found.keySet().retainAll(List.copyOf(ids));
      return found;
    }

    @Override
    public RecordCursor scan(RecordRange range) {
      List<RecordEntry> entries = new ArrayList<>();
      records.forEach(
          (id, cells) -> {
            if (range.contains(id)) {
              entries.add(new RecordEntry(id, cells));
            }
          });
      if (range.isDescending()) {
        Collections.reverse(entries);
      }
      Iterator<RecordEntry> left = entries.stream().limit(range.limit()).iterator();
      return new RecordCursor() {
        @Override
        public boolean hasNext() {
          return left.hasNext();
        }

        @Override
        public RecordEntry next() {
          return left.next();
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public void close() {}
  }

  @Override
  public synchronized RecordSnapshot snapshot() {
    return new Copy(new TreeMap<>(records));
  }

  @Override
  public Map<RecordId, Cells> read(Collection<RecordId> ids) {
    try (RecordSnapshot snapshot = snapshot()) {
      return snapshot.read(ids);
    }
  }

  @Override
  public RecordCursor scan(RecordRange range) {
    try (RecordSnapshot snapshot = snapshot()) {
      return snapshot.scan(range);
    }
  }

  @Override
  public synchronized <R> R compute(
      Collection<RecordId> ids, Function<Map<RecordId, Cells>, Computed<R>> function) {
    Computed<R> computed = function.apply(read(ids));
    for (RecordChange change : computed.changes()) {
      if (change instanceof RecordChange.Write write) {
        records.put(write.id(), records.getOrDefault(write.id(), Cells.NONE).with(write.cells()));
      } else {
        records.remove(change.id());
      }
    }
    return computed.result();
  }

  @Override
  public synchronized void clear(
      Bytes space, Bytes leadPrefix, Predicate<? super RecordReader> goesOn) {
    if (goesOn.test(this)) {
      records = new TreeMap<>(records);
      records.keySet().removeIf(id -> id.space().equals(space) && id.lead().startsWith(leadPrefix));
    }
  }

  @Override
  public void close() {}
}
