package io.github.stablecut.internal.materializer;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.index.ObjectContent;
import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.index.TombstoneRanges;
import io.github.stablecut.internal.paging.PageIds;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A scan of the live objects of a range: those with non-initial values. It remembers runs of
 * deleted objects ({@link TombstoneRanges}), which the next scan skips in one step. Confined to one
 * thread.
 */
public final class LiveScan implements FoundObjects {
  /** The minimum number of adjacent deleted objects that is worth remembering. */
  static final int MIN_RUN = 8;

  private final ObjectIndex index;
  private final TombstoneRanges runs;
  private final Function<ScanPlan, ScannedObjects> opener;
  private final ScanPlan plan;
  private final VectorClock snapshot;

  /** The part of the range that was not scanned. */
  private IdRange remaining;

  private @Nullable ScannedObjects objects;

  /** The number of adjacent dead objects found so far. */
  private int dead;

  private @Nullable DeadRange streak;

  /**
   * @param opener opens a scan of all objects of a range
   */
  public LiveScan(
      ObjectIndex index,
      Function<ScanPlan, ScannedObjects> opener,
      ScanPlan plan,
      VectorClock snapshot) {
    this.index = index;
    this.runs = index.tombstones();
    this.opener = opener;
    this.plan = plan;
    this.snapshot = snapshot;
    this.remaining = plan.range().atOrAbove(PageIds.OBJECTS.from());
  }

  /** A growing part of the range that has only dead objects. */
  private final class DeadRange {
    private final TombstoneRanges.Watch watch = runs.watch(plan.range());
    private final IdRange begin = remaining;
    private boolean isNew;

    /**
     * Ends the streak before the remaining range.
     *
     * @param rest the remaining range
     */
    void endBefore(IdRange rest) {
      try (watch) {
        Bytes from = plan.isDescending() ? rest.until().orElse(begin.from()) : begin.from();
        Optional<Bytes> until = plan.isDescending() ? begin.until() : Optional.of(rest.from());
        if (isNew
            && until.isPresent()
            && index.listsEffects()
            && index.floor().isAtOrBefore(snapshot)
            && !index.isAnyUndecided(from, until.get())) {
          runs.remember(watch, from, until.get(), snapshot);
        }
      }
    }

    void abandon() {
      watch.close();
    }
  }

  @Override
  public Optional<FoundObject> next() {
    for (ScannedObjects from = currentScan(); from != null; from = currentScan()) {
      Optional<FoundObject> found = from.next();
      if (from.hasSkipped()) {
        endRun(remaining);
      }
      if (found.isEmpty()) {
        endRun(
            plan.isDescending()
                ? emptyRange()
                : remaining.until().map(remaining::atOrAbove).orElse(remaining));
        remaining = emptyRange();
        closeObjects();
        return found;
      }
      Bytes id = found.get().id();
      if (found.get().value(snapshot).isPresent()) {
        endRun(plan.isDescending() ? remaining.below(id.successor()) : remaining.atOrAbove(id));
        remaining = rangeAfter(id);
        return found;
      }
      remaining = rangeAfter(id);
      skipDead(id);
    }
    return Optional.empty();
  }

  /** Returns the scan of the remaining range; null if nothing remains. */
  private @Nullable ScannedObjects currentScan() {
    if (objects != null) {
      return objects;
    }
    IdRange rest = runs.skip(remaining, plan.isDescending(), snapshot);
    if (rest != remaining) {
      if (streak == null) {
        streak = new DeadRange();
      }
      // Again, because the streak's watch now records concurrent writes.
      remaining = runs.skip(remaining, plan.isDescending(), snapshot);
    }
    if (remaining.isEmpty()) {
      endRun(remaining);
      return null;
    }
    ScannedObjects scan = opener.apply(plan.rest(remaining));
    objects = scan;
    return scan;
  }

  /** Skips a dead object. */
  private void skipDead(Bytes id) {
    dead++;
    if (streak != null) {
      if (isSettled(id)) {
        streak.isNew = true;
      } else {
        streak.abandon();
        streak = null;
        dead = 0;
      }
    } else if (dead >= MIN_RUN) {
      // Reopens the scan: objects found from now on are listed after the watch began.
      streak = new DeadRange();
      closeObjects();
    }
    if (runs.skip(remaining, plan.isDescending(), snapshot) != remaining) {
      closeObjects();
    }
  }

  /** Whether the object has no effects in memory that are later than the snapshot. */
  private boolean isSettled(Bytes id) {
    ObjectEntry entry = index.find(id);
    if (entry == null) {
      return true;
    }
    ObjectContent content = entry.content();
    return content.intents().isEmpty() && content.lacksNothing(snapshot);
  }

  /** Returns an empty range at the start of the remaining one. */
  private IdRange emptyRange() {
    return remaining.below(remaining.from());
  }

  private IdRange rangeAfter(Bytes id) {
    return plan.isDescending() ? remaining.below(id) : remaining.atOrAbove(id.successor());
  }

  /** Ends a run of dead objects. */
  private void endRun(IdRange rest) {
    dead = 0;
    if (streak != null) {
      streak.endBefore(rest);
      streak = null;
    }
  }

  private void closeObjects() {
    if (objects != null) {
      objects.close();
      objects = null;
    }
  }

  @Override
  public void close() {
    closeObjects();
    endRun(remaining);
    remaining = emptyRange();
  }
}
