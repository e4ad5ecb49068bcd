package io.github.stablecut.internal.materializer;

import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.internal.paging.PageIds;
import io.github.stablecut.option.ScanOptions;

/**
 * The range and the mode of a scan.
 *
 * @param isDescending whether the greatest id comes first
 * @param isKeysOnly whether only keys are returned: objects with initial values are omitted, the
 *     others have no versions
 * @param maxObjects the number of objects that the caller is expected to read; a hint for the first
 *     page
 */
public record ScanPlan(IdRange range, boolean isDescending, boolean isKeysOnly, int maxObjects) {
  /** The assumed number of objects if the caller has not specified one. */
  public static final int UNKNOWN = 64;

  /** Creates the plan of a user's options. */
  public static ScanPlan of(ScanOptions options) {
    return new ScanPlan(
        IdRange.between(options.fromId(), options.untilId()),
        options.isDescending(),
        options.isKeysOnly(),
        (int)
            Math.min(
                options.limit(),
                options.limit() == ScanOptions.NO_LIMIT ? UNKNOWN : Integer.MAX_VALUE));
  }

  /** Creates a plan of all objects in a range, ascending. */
  public static ScanPlan of(IdRange range) {
    return new ScanPlan(range, false, false, UNKNOWN);
  }

  /** Creates a plan of all objects, ascending. */
  public static ScanPlan ofAll() {
    return of(PageIds.OBJECTS);
  }

  /** Returns the same plan for the rest of the range. */
  public ScanPlan rest(IdRange rest) {
    return new ScanPlan(rest, isDescending, isKeysOnly, maxObjects);
  }
}
