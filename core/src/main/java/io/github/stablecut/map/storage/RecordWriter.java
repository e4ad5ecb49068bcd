package io.github.stablecut.map.storage;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What records are read from and written to. */
public interface RecordWriter extends RecordReader {
  /**
   * Computes changes from what is found, and makes them while it still is what was found: all or
   * none.
   *
   * @param ids not empty; what the function is shown, and may change
   * @param function gets those of the records that are there; it must depend on them only, because
   *     it may be called several times
   * @return the function's result, once the changes are made
   * @throws io.github.stablecut.error.RetryException if others were faster too often; nothing was
   *     changed
   */
  <R> R compute(Collection<RecordId> ids, Function<Map<RecordId, Cells>, Computed<R>> function);

  /**
   * Makes changes whatever is found, all or none: what {@link #compute} would do with a function
   * that ignores what it gets. A storage that can does it without reading the records.
   *
   * @param changes in order, one or more
   */
  default void write(List<RecordChange> changes) {
    boolean unused =
        compute(
            changes.stream().map(RecordChange::id).collect(Collectors.toSet()),
            found -> new Computed<>(changes, true));
  }
}
