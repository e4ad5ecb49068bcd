package io.github.stablecut.internal.materializer;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.index.TombstoneRanges;
import io.github.stablecut.internal.paging.PageIds;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a range that are not as at first. Where many others stand side by side, because
 * they were deleted, it remembers that ({@link TombstoneRanges}), and the next scan passes over
 * them in one step. Confined to one thread.
 */
public final class LiveScan implements FoundObjects {
  /** Fewer that stand side by side are not worth to be remembered. */
  static final int LEAST = 8;

  private final ObjectIndex index;
  private final TombstoneRanges runs;
  private final Function<ScanPlan, ScannedObjects> opening;
  private final ScanPlan plan;
  private final VectorClock snapshot;

  /** What has not been looked at. */
  private IdRange left;

  private @Nullable ScannedObjects objects;

  /** How many dead ones were found side by side. */
  private int dead;

  private @Nullable Streak streak;

  /**
   * @param opening begins a scan of all objects of a range
   */
  public LiveScan(
      ObjectIndex index,
      Function<ScanPlan, ScannedObjects> opening,
      ScanPlan plan,
      VectorClock snapshot) {
    this.index = index;
    this.runs = index.deadRuns();
    this.opening = opening;
    this.plan = plan;
    this.snapshot = snapshot;
    this.left = plan.range().atOrAbove(PageIds.OBJECTS.from());
  }

  /** A part of the range that has nothing but dead objects, while it grows. */
  private final class Streak {
    private final TombstoneRanges.Watch watch = runs.watch(plan.range());
    private final IdRange begin = left;
    private boolean isNew;

    /**
     * Ends where what is left begins.
     *
     * @param rest what is left
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
    for (ScannedObjects from = opened(); from != null; from = opened()) {
      Optional<FoundObject> found = from.next();
      if (from.havePassedOver()) {
        end(left);
      }
      if (found.isEmpty()) {
        end(plan.isDescending() ? nothing() : left.until().map(left::atOrAbove).orElse(left));
        left = nothing();
        closeObjects();
        return found;
      }
      Bytes id = found.get().id();
      if (found.get().value(snapshot).isPresent()) {
        end(plan.isDescending() ? left.below(id.successor()) : left.atOrAbove(id));
        left = behind(id);
        return found;
      }
      left = behind(id);
      pass(id);
    }
    return Optional.empty();
  }

  /** Those of what is left; null if nothing is. */
  private @Nullable ScannedObjects opened() {
    if (objects != null) {
      return objects;
    }
    IdRange rest = runs.skip(left, plan.isDescending(), snapshot);
    if (rest != left) {
      if (streak == null) {
        streak = new Streak();
      }
      // Again, because now it is known what is written meanwhile.
      left = runs.skip(left, plan.isDescending(), snapshot);
    }
    if (left.isEmpty()) {
      end(left);
      return null;
    }
    ScannedObjects begun = opening.apply(plan.rest(left));
    objects = begun;
    return begun;
  }

  /** Passes over a dead object. */
  private void pass(Bytes id) {
    dead++;
    if (streak != null) {
      if (isSettled(id)) {
        streak.isNew = true;
      } else {
        streak.abandon();
        streak = null;
        dead = 0;
      }
    } else if (dead >= LEAST) {
      // What is found from now on was listed after it began to be watched.
      streak = new Streak();
      closeObjects();
    }
    if (runs.skip(left, plan.isDescending(), snapshot) != left) {
      closeObjects();
    }
  }

  /** Whether nothing later than the snapshot was done to an object, as far as that is in memory. */
  private boolean isSettled(Bytes id) {
    ObjectEntry entry = index.find(id);
    if (entry == null) {
      return true;
    }
    ObjectEntry.Content content = entry.content();
    return content.intents().isEmpty() && content.lacksNothing(snapshot);
  }

  /** Nothing of what is left, at its least id. */
  private IdRange nothing() {
    return left.below(left.from());
  }

  private IdRange behind(Bytes id) {
    return plan.isDescending() ? left.below(id) : left.atOrAbove(id.successor());
  }

  /** Nothing dead follows side by side. */
  private void end(IdRange rest) {
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
    end(left);
    left = nothing();
  }
}
