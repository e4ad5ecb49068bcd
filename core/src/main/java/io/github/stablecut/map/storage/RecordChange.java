package io.github.stablecut.map.storage;

import io.github.stablecut.crdt.Bytes;
import java.util.Map;
import java.util.Optional;

/** A change of a record. Immutable. */
public sealed interface RecordChange {
  /** The record. */
  RecordId id();

  /**
   * Sets and removes cells, and creates the record if it is missing. Cells that it does not name
   * stay unchanged.
   *
   * @param cells by the number of the column; empty to remove
   */
  record Write(RecordId id, Map<Integer, Optional<Bytes>> cells) implements RecordChange {
    /** Copies the map. */
    public Write {
      cells = Map.copyOf(cells);
    }
  }

  /** Removes the record with all of its cells. */
  record Remove(RecordId id) implements RecordChange {}
}
