package io.github.stablecut.internal.transaction;

import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.materializer.ScanPlan;
import java.util.List;
import java.util.Optional;

/**
 * The range that a transaction's scan has covered, and therefore depends on. Confined to one
 * thread.
 */
final class ScannedRange implements EmbeddedScan.Progress {
  private final ScanPlan plan;
  private Optional<Bytes> last = Optional.empty();
  private boolean isEnded;

  ScannedRange(ScanPlan plan) {
    this.plan = plan;
  }

  /**
   * Creates a range that covers several ranges entirely, regardless of the progress of their scans.
   */
  static ScannedRange covering(List<ScannedRange> ranges) {
    IdRange all = ranges.get(0).plan.range();
    for (ScannedRange range : ranges) {
      all = all.hull(range.plan.range());
    }
    ScannedRange covering = new ScannedRange(ScanPlan.of(all));
    covering.ended();
    return covering;
  }

  @Override
  public void reached(Bytes id) {
    last = Optional.of(id);
  }

  @Override
  public void ended() {
    isEnded = true;
  }

  /**
   * Returns the range from the start of the scan to the last object that it has found; empty if
   * none.
   */
  Optional<IdRange> scanned() {
    IdRange all = plan.range();
    if (isEnded) {
      return all.isEmpty() ? Optional.empty() : Optional.of(all);
    }
    return last.map(id -> plan.isDescending() ? all.atOrAbove(id) : all.below(id.successor()));
  }
}
