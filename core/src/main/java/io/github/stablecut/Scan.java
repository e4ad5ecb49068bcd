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
 * Iterates over the objects of a snapshot, ordered by the bytes of bucket and key, ascending or
 * descending ({@link ScanOptions}). Objects are read lazily: memory use does not depend on the size
 * of the store. Objects in their initial state are skipped. A scan retains its snapshot until it is
 * closed. Confined to one thread.
 */
public interface Scan extends Iterator<StoredObject>, AutoCloseable {
  /**
   * Returns the next object.
   *
   * @throws NoSuchElementException if there are no more objects
   * @throws StoreClosedException if the store was closed
   */
  @Override
  StoredObject next();

  /** The remaining objects, as a stream to be used once. Closing the stream closes the scan. */
  default Stream<StoredObject> stream() {
    int characteristics = Spliterator.ORDERED | Spliterator.DISTINCT | Spliterator.NONNULL;
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(this, characteristics), false)
        .onClose(this::close);
  }

  /** Ends the scan. Idempotent. */
  @Override
  void close();
}
