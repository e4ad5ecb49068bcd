package io.github.stablecut.map.internal;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.Computed;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordReader;
import io.github.stablecut.map.storage.RecordWriter;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Records that a decision depends on, as they were at that time; empty for those that did not
 * exist. Immutable.
 */
record RecordReadSet(Map<RecordId, Optional<Cells>> records) {
  RecordReadSet {
    records = Map.copyOf(records);
  }

  static RecordReadSet read(RecordReader reader, Collection<RecordId> ids) {
    Map<RecordId, Cells> found = reader.read(ids);
    Map<RecordId, Optional<Cells>> records = new HashMap<>();
    ids.forEach(id -> records.put(id, Optional.ofNullable(found.get(id))));
    return new RecordReadSet(records);
  }

  static RecordReadSet absent(RecordId id) {
    return new RecordReadSet(Map.of(id, Optional.empty()));
  }

  RecordReadSet and(RecordReadSet others) {
    Map<RecordId, Optional<Cells>> all = new HashMap<>(records);
    all.putAll(others.records);
    return new RecordReadSet(all);
  }

  boolean hasNone() {
    return records.values().stream().allMatch(Optional::isEmpty);
  }

  boolean has(RecordId id) {
    return records.getOrDefault(id, Optional.empty()).isPresent();
  }

  /**
   * Applies changes, all or none, if the records are unchanged.
   *
   * @return whether they were unchanged; otherwise nothing was written, and the decision must be
   *     repeated
   */
  @CanIgnoreReturnValue
  boolean write(RecordWriter writer, List<RecordChange> changes) {
    Set<RecordId> ids = new HashSet<>(records.keySet());
    changes.forEach(change -> ids.add(change.id()));
    return writer.compute(
        ids,
        found ->
            records.entrySet().stream()
                    .allMatch(
                        seen ->
                            Optional.ofNullable(found.get(seen.getKey())).equals(seen.getValue()))
                ? new Computed<>(changes, true)
                : Computed.unchanged(false));
  }
}
