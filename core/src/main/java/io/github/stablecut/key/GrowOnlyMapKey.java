package io.github.stablecut.key;

import io.github.stablecut.crdt.map.GrowOnlyMap;
import io.github.stablecut.key.PathStep.MapKind;
import java.util.List;

/** The key of a map of objects without removal ({@link GrowOnlyMap}). */
public final class GrowOnlyMapKey extends ObjectMapKey {
  GrowOnlyMapKey(ObjectPath path) {
    super(path, GrowOnlyMap.TYPE, MapKind.GROW_ONLY);
  }

  @Override
  public Update batch(Update... updates) {
    List<GrowOnlyMap.EntryUpdate<?>> parts =
        operations(GrowOnlyMap.Update.class, updates).stream()
            .<GrowOnlyMap.EntryUpdate<?>>flatMap(update -> update.parts().stream())
            .toList();
    return updateBy(new GrowOnlyMap.Update(parts));
  }

  @Override
  GrowOnlyMapKey at(ObjectPath other) {
    return new GrowOnlyMapKey(other);
  }
}
