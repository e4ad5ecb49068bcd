package io.github.stablecut.key;

import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.key.PathStep.MapKind;
import java.util.ArrayList;
import java.util.List;

/**
 * The key of a map of objects with removal ({@link RecursiveResetMap}). Removing an object resets
 * the updates that the transaction sees; concurrent updates survive, and keep the object in the
 * map.
 */
public final class RecursiveMapKey extends ObjectMapKey {
  RecursiveMapKey(ObjectPath path) {
    super(path, RecursiveResetMap.TYPE, MapKind.RECURSIVE);
  }

  /**
   * Removes an object from this map. Removing an absent object has no effect on it. But if this map
   * is nested, the update adds it to the outer map, as every update does.
   *
   * @throws IllegalArgumentException if the object is outside this map, or in a map nested in it
   */
  public Update remove(Key<?> entry) {
    return updateBy(
        new RecursiveResetMap.Remove(
            entry
                .path()
                .entryOf(path(), MapKind.RECURSIVE, entry.ownType())
                .orElseThrow(() -> notInside(entry))));
  }

  /** Removes all objects that the transaction sees; concurrently updated ones remain. */
  public Update clear() {
    return updateBy(new RecursiveResetMap.Reset());
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if an update is of an object outside this map, or is a {@link
   *     #clear} of this map
   */
  @Override
  public Update batch(Update... updates) {
    List<RecursiveResetMap.EntryOperation> parts = new ArrayList<>();
    for (RecursiveResetMap.Operation operation :
        operations(RecursiveResetMap.Operation.class, updates)) {
      if (operation instanceof RecursiveResetMap.Batch batch) {
        parts.addAll(batch.parts());
      } else if (operation instanceof RecursiveResetMap.EntryOperation part) {
        parts.add(part);
      } else {
        throw new IllegalArgumentException(
            "a batch can't clear its map: remove the objects, or clear the map before the batch");
      }
    }
    return updateBy(new RecursiveResetMap.Batch(parts));
  }

  @Override
  RecursiveMapKey at(ObjectPath other) {
    return new RecursiveMapKey(other);
  }
}
