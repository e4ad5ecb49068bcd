package io.github.stablecut.internal.materializer;

import java.util.Optional;

/** An iterator over objects at a snapshot, in the order of their ids. Confined to one thread. */
public interface FoundObjects extends AutoCloseable {
  /** Returns the next object that has effects; empty if there is none. */
  Optional<FoundObject> next();

  /** The approximate size of the objects that were read ahead, in bytes. */
  default long heldBytes() {
    return 0;
  }

  @Override
  void close();
}
