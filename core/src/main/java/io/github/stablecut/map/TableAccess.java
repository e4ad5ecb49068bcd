package io.github.stablecut.map;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.List;

/** Reads and writes records. */
public interface TableAccess extends TableReader {
  /**
   * Applies mutations of any tables and partitions if all of their conditions hold: all or none.
   * The conditions apply to the records as they are before the first mutation. Of several mutations
   * of one record, each sees the earlier ones.
   *
   * @param mutations at least one
   * @return whether the conditions held
   */
  @CanIgnoreReturnValue
  boolean mutate(List<? extends Mutation> mutations);

  /** Applies mutations as {@link #mutate(List)} does. */
  @CanIgnoreReturnValue
  default boolean mutate(Mutation... mutations) {
    return mutate(List.of(mutations));
  }
}
