package io.github.stablecut.map.storage;

import io.github.stablecut.crdt.Bytes;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The content of a record: values by the number of their column. A record without cells still
 * exists. Immutable.
 *
 * @param values ordered by number, each 0 or above
 */
public record Cells(SortedMap<Integer, Bytes> values) {
  /** No cells. */
  public static final Cells NONE = new Cells(new TreeMap<>());

  /** Copies the map. */
  public Cells {
    values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
  }

  /** Returns the value in a column; empty if there is none. */
  public Optional<Bytes> get(int column) {
    return Optional.ofNullable(values.get(column));
  }

  /** Returns these cells with changes applied; an empty value removes a column. */
  public Cells with(Map<Integer, Optional<Bytes>> changes) {
    TreeMap<Integer, Bytes> changed = new TreeMap<>(values);
    changes.forEach(
        (column, value) ->
            value.ifPresentOrElse(
                given -> changed.put(column, given), () -> changed.remove(column)));
    return new Cells(changed);
  }
}
