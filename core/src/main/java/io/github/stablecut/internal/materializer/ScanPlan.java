package io.github.stablecut.internal.materializer;

import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.internal.paging.PageIds;
import io.github.stablecut.option.ScanOptions;

/**
 * What a scan goes over, and how.
 *
 * @param isDescending whether the greatest id comes first
 * @param isKeysOnly whether values are not asked for: objects at their first values are left out,
 *     the others come without versions
 * @param wanted how many objects the caller is expected to take; a hint for the first page
 */
public record ScanPlan(IdRange range, boolean isDescending, boolean isKeysOnly, int wanted) {
  /** Takes about this many if the caller has not said. */
  public static final int UNKNOWN = 64;

  /** What a user wants. */
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

  /** Everything in a range, ascending. */
  public static ScanPlan of(IdRange range) {
    return new ScanPlan(range, false, false, UNKNOWN);
  }

  /** All objects, ascending. */
  public static ScanPlan ofAll() {
    return of(PageIds.OBJECTS);
  }

  /** The same for the rest of the range. */
  public ScanPlan rest(IdRange rest) {
    return new ScanPlan(rest, isDescending, isKeysOnly, wanted);
  }
}
