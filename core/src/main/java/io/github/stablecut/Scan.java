package io.github.stablecut;

import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.option.ScanOptions;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The objects of a snapshot one after the other, in the order of the bytes of bucket and key or
 * backwards ({@link ScanOptions}), read lazily: memory use does not depend on the size of the
 * store. Objects in their initial state are skipped. Must be closed: until then its snapshot is
 * retained. Confined to one thread.
 */
public interface Scan extends Iterator<StoredObject>, AutoCloseable {
  /**
   * The next object.
   *
   * @throws NoSuchElementException if there is none
   * @throws StoreClosedException if the store was closed
   */
  @Override
  StoredObject next();

  /** The objects that are still to come, once. Closing the stream closes this. */
  default Stream<StoredObject> stream() {
    int characteristics = Spliterator.ORDERED | Spliterator.DISTINCT | Spliterator.NONNULL;
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(this, characteristics), false)
        .onClose(this::close);
  }

  /** Ends the scan. Idempotent. */
  @Override
  void close();
}
