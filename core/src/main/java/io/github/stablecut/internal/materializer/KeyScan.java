package io.github.stablecut.internal.materializer;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.SeveralTypes;
import java.util.Optional;

/**
 * The ids and types of objects that are not as at first, without their versions, so that nothing
 * holds or sends these. Confined to one thread.
 */
public final class KeyScan implements FoundObjects {
  private final FoundObjects objects;
  private final VectorClock snapshot;

  /** Goes over objects with versions, and closes them. */
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
    // Which of several types are as at first is seen by their states.
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
