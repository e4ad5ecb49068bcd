package io.github.stablecut.key;

import io.github.stablecut.crdt.RecursiveResetMap;
import io.github.stablecut.key.PathStep.MapKind;
import java.util.ArrayList;
import java.util.List;

/**
 * The name of a map of objects that can be removed ({@link RecursiveResetMap}). Removing an object
 * resets the updates that the transaction sees; concurrent updates survive, and keep it in the map.
 */
public final class RecursiveMapKey extends ObjectMapKey {
  RecursiveMapKey(ObjectPath place) {
    super(place, RecursiveResetMap.TYPE, MapKind.RECURSIVE);
  }

  /**
   * Removes an object of this map. If it isn't there, nothing happens to it; but a map that is in
   * another one is in it from then on, as by every update.
   *
   * @throws IllegalArgumentException if it is an object outside this map, or in another one in it
   */
  public Update remove(Key<?> entry) {
    return updateBy(
        new RecursiveResetMap.Remove(
            entry
                .place()
                .entryOf(place(), MapKind.RECURSIVE, entry.ownType())
                .orElseThrow(() -> notInside(entry))));
  }

  /** Removes all objects that the transaction sees. */
  public Update clear() {
    return updateBy(new RecursiveResetMap.Reset());
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if one is of an object outside this map, or is its {@link
   *     #clear}
   */
  @Override
  public Update batch(Update... updates) {
    List<RecursiveResetMap.Part> parts = new ArrayList<>();
    for (RecursiveResetMap.Operation operation :
        operations(RecursiveResetMap.Operation.class, updates)) {
      if (operation instanceof RecursiveResetMap.Batch batch) {
        parts.addAll(batch.parts());
      } else if (operation instanceof RecursiveResetMap.Part part) {
        parts.add(part);
      } else {
        throw new IllegalArgumentException(
            "a batch doesn't clear its map: remove the objects, or clear before");
      }
    }
    return updateBy(new RecursiveResetMap.Batch(parts));
  }

  @Override
  RecursiveMapKey at(ObjectPath other) {
    return new RecursiveMapKey(other);
  }
}
