package io.github.stablecut.internal.transaction;

import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.materializer.ScanPlan;
import java.util.List;
import java.util.Optional;

/** How far a transaction's scan has come: what it depends on. Confined to one thread. */
final class ScannedRange implements EmbeddedScan.Progress {
  private final ScanPlan plan;
  private Optional<Bytes> last = Optional.empty();
  private boolean isEnded;

  ScannedRange(ScanPlan plan) {
    this.plan = plan;
  }

  /** A range that covers all of some ranges, however far their scans have come or will come. */
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

  /** The range from the begin of the scan to the last object that it has found; empty if none. */
  Optional<IdRange> scanned() {
    IdRange all = plan.range();
    if (isEnded) {
      return all.isEmpty() ? Optional.empty() : Optional.of(all);
    }
    return last.map(id -> plan.isDescending() ? all.atOrAbove(id) : all.below(id.successor()));
  }
}
