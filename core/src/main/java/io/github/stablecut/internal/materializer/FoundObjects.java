package io.github.stablecut.internal.materializer;

import java.util.Optional;

/** Objects at a snapshot, one by one, in the order of their ids. Confined to one thread. */
public interface FoundObjects extends AutoCloseable {
  /** The next object that something was done to; empty if there is none. */
  Optional<FoundObject> next();

  /** About how many bytes the objects have that were found ahead. */
  default long heldBytes() {
    return 0;
  }

  @Override
  void close();
}
