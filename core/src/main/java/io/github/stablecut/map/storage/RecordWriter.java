package io.github.stablecut.map.storage;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Reads and writes records. */
public interface RecordWriter extends RecordReader {
  /**
   * Computes changes from the records, and applies them, all or none, only while the records are as
   * the function saw them.
   *
   * @param ids the records that the function sees and may change; not empty
   * @param function receives those of the records that exist; it must depend only on them, because
   *     it may be called several times
   * @return the function's result, once the changes are made
   * @throws io.github.stablecut.error.RetryException if concurrent changes won too often; nothing
   *     changed
   */
  @CanIgnoreReturnValue
  <R> R compute(Collection<RecordId> ids, Function<Map<RecordId, Cells>, Computed<R>> function);

  /**
   * Applies changes whatever the records contain, all or none, as {@link #compute} would with a
   * function that ignores its argument. A storage may override it to avoid reading the records.
   *
   * @param changes in order, one or more
   */
  default void write(List<RecordChange> changes) {
    compute(
        changes.stream().map(RecordChange::id).collect(Collectors.toSet()),
        found -> new Computed<>(changes, true));
  }
}
