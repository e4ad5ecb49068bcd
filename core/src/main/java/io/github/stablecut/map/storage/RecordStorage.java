package io.github.stablecut.map.storage;

import io.github.stablecut.crdt.Bytes;
import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * An ordered map of records: what a {@link io.github.stablecut.map.TableMap} lies on. Thread-safe.
 *
 * <p>Computations are linearisable, and durable when they return. Reads see all that was
 * acknowledged before them.
 */
public interface RecordStorage extends RecordWriter, AutoCloseable {
  /** {@inheritDoc} Durable when it returns. */
  @Override
  <R> R compute(Collection<RecordId> ids, Function<Map<RecordId, Cells>, Computed<R>> function);

  /** The records as they are now; they stay so until this is closed. */
  RecordSnapshot snapshot();

  /**
   * Removes records. Done in several steps, so others may see a part of it, and a call that failed
   * is made again.
   *
   * @param leadPrefix what the leads of the records begin with; empty for all records of the space
   * @param goesOn asked before each step, of the records at the moment that the step sees: removes
   *     nothing any more when it says no
   */
  void clear(Bytes space, Bytes leadPrefix, Predicate<? super RecordReader> goesOn);

  /** Makes durable what is on its way, and closes. Idempotent. */
  @Override
  void close();
}
