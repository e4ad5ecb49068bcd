package io.github.stablecut.internal.truncation;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointDroppedException;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.HistoryWriter;
import io.github.stablecut.checkpoint.Manifest;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.checkpoint.RunWriter;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.SeveralTypes;
import io.github.stablecut.internal.index.EffectList;
import io.github.stablecut.internal.index.EffectSummary;
import io.github.stablecut.internal.index.IndexedEffect;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.materializer.Materializer;
import io.github.stablecut.internal.materializer.TypedFold;
import io.github.stablecut.internal.meter.CheckpointEvent;
import io.github.stablecut.internal.paging.PageSizes;
import io.github.stablecut.internal.record.Commit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Writes checkpoints: the objects that changed since the last one, at one vector, while writers and
 * readers continue. A checkpoint is an exact snapshot, not a fuzzy one. Confined to one thread at a
 * time.
 *
 * <p>First, the effects between the low watermark and the last checkpoint, which only readers of
 * old snapshots need, move from memory to a history file.
 */
final class Checkpointer {
  /**
   * The effects of up to this many checkpointed objects stay in memory until the next checkpoint,
   * for readers of recent snapshots, at 200 bytes per object. Beyond that, they go to a history
   * file immediately.
   */
  private static final int MAX_KEPT = 200_000;

  /** The time of an object's last effect if only its version has it. */
  static final long UNLISTED = 0;

  private final ObjectIndex index;
  private final Materializer materializer;
  private final CheckpointStore checkpoints;
  private final Horizon horizon;
  private final PagedObjects paged;

  private final MaintenanceSetup.Times times;
  private final ReplicaCheckpointAgreement replicas;
  private final Runnable sync;
  private volatile boolean isAbandoned;

  /**
   * @param sync returns once all previously durable records are synced: a checkpoint must not
   *     outlive them
   */
  Checkpointer(
      ObjectIndex index,
      Materializer materializer,
      CheckpointStore checkpoints,
      Horizon horizon,
      PageSizes sizes,
      MaintenanceSetup.Times times,
      ReplicaCheckpointAgreement replicas,
      Runnable sync) {
    this.index = index;
    this.materializer = materializer;
    this.checkpoints = checkpoints;
    this.horizon = horizon;
    this.times = times;
    this.replicas = replicas;
    this.sync = sync;
    this.paged = new PagedObjects(index, materializer, checkpoints, sizes, this::checkWanted);
  }

  /**
   * Writes a checkpoint at a vector, unless one exists.
   *
   * @param target the last durable commit; the checkpoint is at or above the previous one, whatever
   *     its entries of other data centres
   * @return the number of objects written
   */
  long write(VectorClock target) {
    Manifest before = manifest();
    VectorClock at = target.join(before.checkpointTime());
    if (at.equals(before.checkpointTime())) {
      return 0;
    }
    CheckpointEvent event = new CheckpointEvent();
    event.begin();
    spill(before);
    // First the active snapshots, then the index: a transaction stays in the former until it is in
    // the latter.
    VectorClock activeSnapshots = times.pruneLimit().apply(horizon.intendFrontier(at));
    VectorClock last = times.last().apply(at);
    Map<Bytes, Long> dirty = new TreeMap<>();
    VectorClock frontier = scan(before.checkpointTime(), at, activeSnapshots, dirty);
    VectorClock newest = lastFrontier().join(replicas.frontierAt(at));
    frontier = frontier.join(newest).meet(at);
    if (at.size() > 1) {
      frontier = closed(frontier, newest, before.checkpointTime());
    }
    Checkpoint checkpoint = new Checkpoint(at, frontier, 0, last);
    replicas.announce(checkpoint);
    return write(checkpoint, dirty, before.checkpointTime(), event);
  }

  /**
   * Writes the checkpoint that the partition's leader announced, with the same objects, pruned at
   * the same frontier. Does nothing if there is one at least as new.
   *
   * @param announced a checkpoint whose transactions are all applied
   * @return the number of objects written
   */
  long follow(Checkpoint announced) {
    Manifest before = manifest();
    VectorClock since = before.checkpointTime();
    if (!since.isAtOrBefore(announced.at()) || since.equals(announced.at())) {
      return 0;
    }
    CheckpointEvent event = new CheckpointEvent();
    event.begin();
    spill(before);
    Map<Bytes, Long> dirty = new TreeMap<>();
    scan(since, announced.at(), announced.pruneFrontier(), dirty);
    // The states on which it is based may be pruned further.
    VectorClock frontier = announced.pruneFrontier().join(lastFrontier()).meet(announced.at());
    return write(
        new Checkpoint(announced.at(), frontier, 0, announced.last()), dirty, since, event);
  }

  private long write(
      Checkpoint checkpoint, Map<Bytes, Long> dirty, VectorClock since, CheckpointEvent event) {
    long written;
    byte[] notes = MultiTypeNote.encode(index.withSeveralTypes());
    try (RunWriter writer = checkpoints.beginRun(checkpoint, notes)) {
      written = put(writer, dirty, checkpoint, since);
      ManifestFile run = writer.finish();
      sync.run();
      checkpoints.commit(
          change -> change.addRun(run).clockCeiling(times.clockCeiling().getAsLong()));
    } catch (RuntimeException | Error e) {
      paged.writtenInVain();
      throw e;
    }
    paged.committed();
    if (written > MAX_KEPT) {
      spill(manifest());
    }
    event.objects = written;
    event.commit();
    return written;
  }

  /** Makes a checkpoint in progress fail soon, and later ones until {@link #resume}. */
  void abandon() {
    isAbandoned = true;
  }

  /** Reverts {@link #abandon}. */
  void resume() {
    isAbandoned = false;
  }

  private void checkWanted() {
    if (isAbandoned) {
      throw CheckpointDroppedException.cancelled();
    }
  }

  boolean isAbandoned() {
    return isAbandoned;
  }

  private Manifest manifest() {
    try (CheckpointView view = checkpoints.view()) {
      return view.manifest();
    }
  }

  private VectorClock lastFrontier() {
    try (CheckpointView view = checkpoints.view()) {
      List<Checkpoint> all = view.checkpoints();
      return all.isEmpty() ? VectorClock.ZERO : all.get(0).pruneFrontier();
    }
  }

  /**
   * Finds the objects that changed between {@code since} and {@code at}, with the time of the last
   * effect. Lowers the frontier to the snapshots of transactions after {@code at}, whose effects
   * will be folded onto states that are pruned now. If effects are not listed, the time is {@link
   * #UNLISTED}, and some unchanged objects are found too.
   */
  @CanIgnoreReturnValue
  private VectorClock scan(
      VectorClock since, VectorClock at, VectorClock activeSnapshots, Map<Bytes, Long> dirty) {
    VectorClock[] frontier = {activeSnapshots};
    index.forEachWithEffects(
        (id, entry) -> {
          checkWanted();
          EffectList effects = entry.content().effects();
          List<IndexedEffect> changed = effects.between(since, at);
          if (!changed.isEmpty()) {
            dirty.put(id, changed.get(changed.size() - 1).commit().time());
          }
          for (IndexedEffect later : effects.notIn(at)) {
            frontier[0] = frontier[0].meet(later.commit().snapshot());
          }
          Optional<EffectSummary> unlisted = entry.content().unlisted();
          if (unlisted.isPresent() && !unlisted.get().last().isAtOrBefore(since)) {
            dirty.put(id, UNLISTED);
            frontier[0] = frontier[0].meet(unlisted.get().snapshots());
          }
        });
    return frontier[0];
  }

  /**
   * Lowers a frontier until it is closed: until it includes the commit vector of every transaction
   * whose dots it covers (protocol 5.1). Otherwise a snapshot above the frontier could lack a
   * transaction whose dots are pruned.
   *
   * @param frontier at or above {@code last}
   * @param last the frontier of the last checkpoint, here and known to others, which is closed
   * @param since the vector of the last checkpoint; all later effects are in memory
   */
  private VectorClock closed(VectorClock frontier, VectorClock last, VectorClock since) {
    VectorClock[] closed = {frontier};
    VectorClock before;
    do {
      before = closed[0];
      closed[0] = closedBefore(since, closed[0], last);
      index.forEachWithEffects(
          (id, entry) -> {
            for (IndexedEffect effect : entry.content().effects().notIn(since)) {
              closed[0] = closed(closed[0], effect.commit());
            }
            Optional<EffectSummary> unlisted = entry.content().unlisted();
            if (unlisted.isPresent() && !unlisted.get().dependencies().isAtOrBefore(closed[0])) {
              closed[0] = last;
            }
          });
    } while (!closed[0].equals(before));
    return closed[0];
  }

  /**
   * Lowers a data centre's entry to that of the last frontier if its transactions in the last
   * checkpoint may depend on something above the frontier. Their commit vectors are no longer in
   * memory.
   */
  private static VectorClock closedBefore(
      VectorClock since, VectorClock frontier, VectorClock last) {
    VectorClock closed = frontier;
    for (int dataCentre = 0; dataCentre < frontier.size(); dataCentre++) {
      if (!since.with(dataCentre, 0).isAtOrBefore(closed)) {
        closed = closed.with(dataCentre, last.get(dataCentre));
      }
    }
    return closed;
  }

  /** A frontier that covers a commit's dots only if it includes the commit vector. */
  private static VectorClock closed(VectorClock frontier, Commit commit) {
    int dataCentre = commit.origin().dataCentre();
    boolean isClosed =
        frontier.get(dataCentre) < commit.time() || commit.vector().isAtOrBefore(frontier);
    return isClosed ? frontier : frontier.with(dataCentre, commit.time() - 1);
  }

  /** Returns the number of objects written. */
  private long put(
      RunWriter writer, Map<Bytes, Long> dirty, Checkpoint checkpoint, VectorClock since) {
    Map<Bytes, PagedObjects.Root> roots = paged.writePages(writer, dirty, checkpoint, since);
    long pages = writer.entries();
    dirty.forEach(
        (id, last) -> {
          checkWanted();
          PagedObjects.Root root = roots.get(id);
          if (root == null) {
            put(writer, id, last, checkpoint, since);
          } else {
            writer.put(id, root.typeId(), root.time(), root.state().toArray());
          }
        });
    return writer.entries() - pages;
  }

  private void put(
      RunWriter writer, Bytes id, long listedTime, Checkpoint checkpoint, VectorClock since) {
    Optional<Version> found = materializer.materialize(id, checkpoint.at());
    if (found.isEmpty() && listedTime == UNLISTED) {
      // All of its effects are later.
      return;
    }
    Version version =
        found.orElseThrow(
            () -> new IllegalStateException("object " + id + " has effects and no version"));
    if (isUnchanged(version, listedTime, since)) {
      return;
    }
    Version pruned = TypedFold.prune(version, checkpoint.pruneFrontier());
    CrdtType<?, ?, ?, ?> type = pruned.type();
    noteTypes(index, id, type);
    long time = timeOf(version, listedTime);
    if (pruned.state().equals(type.initial())) {
      paged.wroteInOnePiece(id, 0);
      writer.putDeleted(id, type.typeId(), time);
    } else {
      byte[] state = encoded(id, type, pruned.state());
      paged.wroteInOnePiece(id, state.length);
      writer.put(id, type.typeId(), time, state);
    }
  }

  /** Records whether an object has several types. */
  static void noteTypes(ObjectIndex index, Bytes id, CrdtType<?, ?, ?, ?> type) {
    if (type == SeveralTypes.TYPE) {
      index.noteSeveralTypes(id);
    } else {
      index.noteOneType(id);
    }
  }

  /**
   * Encodes a state in one piece.
   *
   * @throws OperationRefusedException if it is too large: the next attempt stores it in pages
   */
  private byte[] encoded(Bytes id, CrdtType<?, ?, ?, ?> type, Object state) {
    try {
      return CallTypes.encodeState(type, state);
    } catch (OperationRefusedException e) {
      paged.isTooLarge(id);
      throw e;
    }
  }

  /** Whether all effects of an object are in the last checkpoint, or all are later. */
  static boolean isUnchanged(Version version, long listedTime, VectorClock since) {
    return listedTime == UNLISTED && version.since().isAtOrBefore(since);
  }

  /** The time of the last effect, from the version if it is not listed. */
  static long timeOf(Version version, long listedTime) {
    return listedTime == UNLISTED ? LocalDataCentre.commitTimeOf(version.since()) : listedTime;
  }

  /**
   * Moves the effects between the low watermark and the last checkpoint from memory to a history
   * file.
   */
  private void spill(Manifest before) {
    VectorClock through = before.checkpointTime();
    if (through.isAtOrBefore(before.lowWatermark()) || through.isAtOrBefore(index.floor())) {
      return;
    }
    Map<Bytes, long[]> positions = new TreeMap<>();
    index.forEachWithEffects(
        (id, entry) -> {
          checkWanted();
          List<IndexedEffect> old =
              entry.content().effects().between(before.lowWatermark(), through);
          if (!old.isEmpty()) {
            positions.put(id, positions(old));
          }
        });
    if (!positions.isEmpty()) {
      try (HistoryWriter writer = checkpoints.beginHistory(Checkpoint.of(through, 0))) {
        positions.forEach(
            (id, all) -> {
              checkWanted();
              writer.put(id, all);
            });
        ManifestFile history = writer.finish();
        checkpoints.commit(change -> change.addHistory(history));
      }
    }
    index.dropThrough(through);
  }

  /** The distinct journal positions of the effects, ascending. */
  private static long[] positions(List<IndexedEffect> effects) {
    long[] all = new long[effects.size()];
    for (int i = 0; i < all.length; i++) {
      all[i] = effects.get(i).commit().position();
    }
    // A transaction decided by another partition may come after later commits.
    Arrays.sort(all);
    int distinct = 0;
    for (long position : all) {
      if (distinct == 0 || all[distinct - 1] != position) {
        all[distinct++] = position;
      }
    }
    return Arrays.copyOf(all, distinct);
  }
}
