package io.github.stablecut.map;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.List;

/** What records are read from and written to. */
public interface TableAccess extends TableReader {
  /**
   * Makes mutations, of whatever tables and partitions, if all of their conditions hold: all or
   * none. The conditions are about the records as they are before the first mutation; of several
   * mutations of one record each sees the earlier ones.
   *
   * @param mutations at least one
   * @return whether the conditions held
   */
  @CanIgnoreReturnValue
  boolean mutate(List<? extends Mutation> mutations);

  /** As {@link #mutate(List)}. */
  @CanIgnoreReturnValue
  default boolean mutate(Mutation... mutations) {
    return mutate(List.of(mutations));
  }
}
