package io.github.stablecut.map.storage;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * An ordered map of records, on which a {@link io.github.stablecut.map.TableMap} is built.
 * Thread-safe.
 *
 * <p>Computations are linearizable, and durable when they return. Reads see all that was
 * acknowledged before them.
 */
public interface RecordStorage extends RecordWriter, AutoCloseable {
  /** {@inheritDoc} Durable when it returns. */
  @Override
  @CanIgnoreReturnValue
  <R> R compute(Collection<RecordId> ids, Function<Map<RecordId, Cells>, Computed<R>> function);

  /** Returns the records as they are now; they stay so until the snapshot is closed. */
  RecordSnapshot snapshot();

  /**
   * Removes records in several steps. Others may see a partial removal, and callers must repeat a
   * failed call.
   *
   * @param leadPrefix the prefix of the leads of the records; empty for all records of the space
   * @param goesOn tests, before each step, the records at the moment that the step sees; on false,
   *     nothing more is removed
   */
  void clear(Bytes space, Bytes leadPrefix, Predicate<? super RecordReader> goesOn);

  /** Makes in-flight writes durable, and closes. Idempotent. */
  @Override
  void close();
}
