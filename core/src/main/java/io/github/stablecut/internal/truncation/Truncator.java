package io.github.stablecut.internal.truncation;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.Manifest;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.paging.PagedStates;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.segment.Position;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Truncates what no readable snapshot needs: raises the low watermark to a checkpoint, records that
 * durably, and only then drops effects and whole journal segments (protocol 4.2). Confined to one
 * thread at a time.
 */
final class Truncator {
  private final ObjectIndex index;
  private final Journal journal;
  private final CheckpointStore checkpoints;
  private final PagedStates states;
  private final Horizon horizon;
  private final SegmentTimes segments;
  private final MaintenanceSetup.Needs needs;
  private final InstantSource clock;
  private final Duration retention;

  /**
   * A time above all that the clock has reported; recorded in the manifest because clock records
   * are dropped.
   */
  private final LongSupplier clockCeiling;

  private final Runnable sync;

  /**
   * @param sync returns once all previously durable records are synced: no segment is dropped
   *     because of unsynced ones, and the low watermark in the manifest passes no prepared
   *     transaction whose outcome may be lost, as recovery would abort it
   */
  Truncator(
      MaintenanceSetup.Components parts,
      MaintenanceSetup.Needs needs,
      InstantSource clock,
      Duration retention,
      LongSupplier clockCeiling,
      Runnable sync) {
    this.needs = needs;
    this.clockCeiling = clockCeiling;
    this.sync = sync;
    this.index = parts.index();
    this.journal = parts.journal();
    this.checkpoints = parts.checkpoints();
    this.states = parts.materializer().states();
    this.horizon = parts.horizon();
    this.segments = parts.segments();
    this.clock = clock;
    this.retention = retention;
  }

  /** Truncates as much as possible. */
  void truncate() {
    Manifest manifest = manifest();
    reclaim(manifest);
    List<VectorClock> candidates = manifest.runs().stream().map(ManifestFile::at).toList();
    VectorClock limit = needs.limit().apply(retained(manifest.checkpointTime()));
    VectorClock low = horizon.raise(candidates, limit);
    int firstSegment = firstNeeded(low);
    boolean dropsSegments = firstSegment > manifest.firstSegment();
    if (dropsSegments) {
      needs.save().accept(low);
    }
    if (dropsSegments || !low.equals(manifest.lowWatermark())) {
      sync.run();
      checkpoints.commit(
          change ->
              change
                  .lowWatermark(low)
                  .clockCeiling(clockCeiling.getAsLong())
                  .firstSegment(Math.max(firstSegment, manifest.firstSegment())));
    }
    if (!low.isAtOrBefore(index.floor())) {
      index.dropThrough(low);
    }
    journal.dropSegmentsBefore(firstSegment);
    segments.dropBefore(firstSegment);
    releaseReplaced();
  }

  /** Releases files that merges have replaced, and deletes those without readers. */
  private void releaseReplaced() {
    try (CheckpointView view = checkpoints.view()) {
      states.moveTo(view);
    }
    checkpoints.reclaim();
  }

  /**
   * Deletes what the last truncation left behind, because readers needed it or a deletion failed.
   * Needs no disk space, unlike the following steps.
   */
  private void reclaim(Manifest manifest) {
    checkpoints.reclaim();
    journal.dropSegmentsBefore(manifest.firstSegment());
    segments.dropBefore(manifest.firstSegment());
  }

  /** Whether there is more to truncate later, without another checkpoint. */
  boolean isBehind() {
    Manifest manifest = manifest();
    return !manifest.checkpointTime().isAtOrBefore(manifest.lowWatermark());
  }

  private Manifest manifest() {
    try (CheckpointView view = checkpoints.view()) {
      return view.manifest();
    }
  }

  /** The newest checkpoint, or the vector that is as old as the retention if that is older. */
  private VectorClock retained(VectorClock newest) {
    if (retention.isZero()) {
      return newest;
    }
    long oldest = Timestamp.of(Timestamp.countAt(clock.millis() - retention.toMillis()), 0);
    VectorClock limit = newest;
    for (int dataCentre = 0; dataCentre < newest.size(); dataCentre++) {
      limit = limit.with(dataCentre, Math.min(newest.get(dataCentre), oldest));
    }
    return limit;
  }

  private int firstNeeded(VectorClock low) {
    // The last registered segment first: no unregistered record lies before it.
    int lastKnown = segments.lastKnown();
    long oldest = needs.oldestNeeded().getAsLong();
    int first = Math.min(lastKnown, segments.firstAfter(low, lastKnown));
    return oldest == Long.MAX_VALUE ? first : Math.min(first, Position.segment(oldest));
  }
}
