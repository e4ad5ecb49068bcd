package io.github.stablecut.internal.materializer;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.SeveralTypes;
import java.util.Optional;

/**
 * Returns the ids and types of objects with non-initial values, without their versions, which then
 * are neither held nor sent. Confined to one thread.
 */
public final class KeyScan implements FoundObjects {
  private final FoundObjects objects;
  private final VectorClock snapshot;

  /** Wraps a scan of objects with versions, and closes it. */
  public KeyScan(FoundObjects objects, VectorClock snapshot) {
    this.objects = objects;
    this.snapshot = snapshot;
  }

  @Override
  public Optional<FoundObject> next() {
    Optional<FoundObject> found = objects.next();
    while (found.isPresent() && found.get().value(snapshot).isEmpty()) {
      found = objects.next();
    }
    // Objects of several types keep their states, which show the types with non-initial values.
    return found.map(
        object ->
            object.type() == SeveralTypes.TYPE
                ? object
                : new FoundObject(object.id(), object.type(), Optional.empty()));
  }

  @Override
  public void close() {
    objects.close();
  }
}
