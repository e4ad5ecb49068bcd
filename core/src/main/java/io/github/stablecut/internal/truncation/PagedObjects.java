package io.github.stablecut.internal.truncation;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.CorruptCheckpointException;
import io.github.stablecut.checkpoint.EntryScan;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.checkpoint.RunEntry;
import io.github.stablecut.checkpoint.RunWriter;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.index.IndexedEffect;
import io.github.stablecut.internal.index.ObjectContent;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.Materializer;
import io.github.stablecut.internal.materializer.TypedFold;
import io.github.stablecut.internal.paging.PageChange;
import io.github.stablecut.internal.paging.PageIds;
import io.github.stablecut.internal.paging.PageSizes;
import io.github.stablecut.internal.paging.PagedState;
import io.github.stablecut.internal.paging.PagedStates;
import io.github.stablecut.log.Log;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;

/**
 * The large objects, whose states checkpoints store in pages. Writes their changed pages. Confined
 * to one thread at a time.
 *
 * <p>An object's next state is based on the one in the last checkpoint, whatever versions are in
 * memory: only then are its unread pages those of that checkpoint.
 */
final class PagedObjects {
  /**
   * The ids of pages repeat the id of their object. An object with a longer id is therefore stored
   * in pages only from {@link #HUGE_BYTES} on.
   */
  private static final int MAX_ID_BYTES = 1 << 10;

  private static final int HUGE_BYTES = 16 << 20;

  private static final Logger LOG = Log.of(PagedObjects.class);

  /** Sorted, because pages are written before objects, and object by object. */
  private final Set<Bytes> inPages = new TreeSet<>(PageIds.ORDER);

  /** The objects that were in pages in the last checkpoint and are not in the one in progress. */
  private final Set<Bytes> left = new HashSet<>();

  private final RecentLargeObjects large = new RecentLargeObjects();

  private final ObjectIndex index;
  private final Materializer materializer;
  private final PagedStates states;
  private final CheckpointStore checkpoints;
  private final PageSizes sizes;

  /** Called before each object; throws if the checkpoint was cancelled. */
  private final Runnable check;

  /** Whether {@link #inPages} is complete; if not, each object is looked up. */
  private boolean areKnown;

  PagedObjects(
      ObjectIndex index,
      Materializer materializer,
      CheckpointStore checkpoints,
      PageSizes sizes,
      Runnable check) {
    this.sizes = sizes;
    this.check = check;
    this.index = index;
    this.materializer = materializer;
    this.states = materializer.states();
    this.checkpoints = checkpoints;
  }

  /** The root of an object in pages, which a checkpoint writes besides its pages. */
  record Root(int typeId, long time, Bytes state) {}

  /**
   * Writes the changed pages of the large ones among some objects.
   *
   * @param dirty the changed objects, with the commit times of their last effects
   * @param since the vector of the last checkpoint
   * @return the objects that are in pages now and have changed
   */
  Map<Bytes, Root> writePages(
      RunWriter writer, Map<Bytes, Long> dirty, Checkpoint checkpoint, VectorClock since) {
    findInPages();
    Set<Bytes> candidates = new TreeSet<>(PageIds.ORDER);
    for (Bytes id : dirty.keySet()) {
      check.run();
      if (isInPages(id) || large.contains(id) || isLargeInMemory(id, since, checkpoint.at())) {
        candidates.add(id);
      }
    }
    Map<Bytes, Root> all = new HashMap<>();
    for (Bytes id : candidates) {
      check.run();
      write(writer, id, dirty.getOrDefault(id, Checkpointer.UNLISTED), checkpoint, since)
          .ifPresent(root -> all.put(id, root));
    }
    return all;
  }

  private boolean isInPages(Bytes id) {
    if (!areKnown && !inPages.contains(id) && open(id).isPresent()) {
      inPages.add(id);
    }
    return inPages.contains(id);
  }

  private boolean isLargeInMemory(Bytes id, VectorClock since, VectorClock at) {
    return index.get(id).filter(entry -> isLarge(id, entry.content(), since, at)).isPresent();
  }

  private boolean isLarge(Bytes id, ObjectContent content, VectorClock since, VectorClock at) {
    Optional<Version> base = content.base(at);
    long bytes = base.map(Version::bytes).orElse(0);
    long added = 0;
    for (IndexedEffect effect :
        content.effects().between(base.map(Version::at).orElse(since), at)) {
      added += effect.bytes();
    }
    return (sizes.isLarge(bytes) || sizes.mayBeLarge(added))
        && isWorthIt(id, bytes + added)
        && base.filter(Version::isInPages).isEmpty();
  }

  private static boolean isWorthIt(Bytes id, long bytes) {
    return id.length() <= MAX_ID_BYTES || bytes >= HUGE_BYTES;
  }

  /** Finds the objects in pages, before the first checkpoint. */
  private void findInPages() {
    if (areKnown) {
      return;
    }
    try {
      readInPages();
      areKnown = true;
    } catch (CorruptCheckpointException e) {
      // The damaged part may not be needed; a reader that needs it reports it.
      LOG.warn("objects in pages are looked up one by one, because a file is damaged", e);
    }
  }

  private void readInPages() {
    try (CheckpointView view = checkpoints.view()) {
      IdRange left = PageIds.ALL;
      Optional<RunEntry> found = first(view, left);
      while (found.isPresent()) {
        Bytes object = PageIds.objectOf(found.get().id());
        inPages.add(object);
        found = first(view, left.atOrAbove(PageIds.endOf(object)));
      }
    }
  }

  private static Optional<RunEntry> first(CheckpointView view, IdRange range) {
    try (EntryScan scan = view.scan(range, view.manifest().checkpointTime())) {
      return scan.next();
    }
  }

  /** Writes the changed pages of an object; empty if it is in one piece now, or unchanged. */
  private Optional<Root> write(
      RunWriter writer, Bytes id, long lastTime, Checkpoint checkpoint, VectorClock since) {
    Optional<PagedState> before = inPages.contains(id) ? open(id) : Optional.empty();
    Optional<Version> found =
        before.isPresent()
            ? Optional.of(materializer.materializeOn(before.get().version(), id, checkpoint.at()))
            : materializer.materialize(id, checkpoint.at());
    if (found.isEmpty() || Checkpointer.isUnchanged(found.get(), lastTime, since)) {
      return Optional.empty();
    }
    Version version = found.get();
    Version pruned = TypedFold.prune(version, checkpoint.pruneFrontier());
    PageChange change =
        before
            .map(state -> state.replacedBy(pruned.type(), pruned.state(), sizes))
            .orElseGet(() -> PagedState.first(pruned.type(), pruned.state(), sizes));
    boolean isSmall =
        sizes.isSmall(change.bytes()) || pruned.state().equals(pruned.type().initial());
    Checkpointer.noteTypes(index, id, pruned.type());
    int type = pruned.type().typeId();
    long time = Checkpointer.timeOf(version, lastTime);
    Map<Integer, Optional<byte[]>> pages = new TreeMap<>();
    if (isSmall) {
      before.ifPresent(
          state -> state.allPages().forEach(page -> pages.put(page, Optional.empty())));
      if (inPages.remove(id)) {
        left.add(id);
      }
    } else {
      change.gone().forEach(page -> pages.put(page, Optional.empty()));
      change.written().forEach((page, bytes) -> pages.put(page, Optional.of(bytes)));
      inPages.add(id);
    }
    large.remove(id);
    pages.forEach(
        (page, bytes) -> {
          check.run();
          Bytes pageId = PageIds.of(id, page);
          if (bytes.isPresent()) {
            writer.put(pageId, type, time, bytes.get());
          } else {
            writer.putDeleted(pageId, type, time);
          }
        });
    return isSmall
        ? Optional.empty()
        : Optional.of(new Root(type, time, Bytes.wrap(change.root())));
  }

  private Optional<PagedState> open(Bytes id) {
    try (CheckpointView view = checkpoints.view()) {
      VectorClock at = view.manifest().checkpointTime();
      return view.find(id, at).flatMap(entry -> states.open(entry, view, at));
    }
  }

  /**
   * Switches to a committed checkpoint: readers start with its pages, and release the files of the
   * previous one.
   */
  void committed() {
    states.checkpointed();
    if (!inPages.isEmpty() || !left.isEmpty()) {
      states.forgetFiles();
      inPages.forEach(id -> materializer.evictPaged(id, states.maxHeldBytes()));
      left.forEach(id -> materializer.evictPaged(id, Long.MAX_VALUE));
      left.clear();
    }
  }

  /** Discards the results of a failed checkpoint. */
  void writtenInVain() {
    inPages.clear();
    left.clear();
    areKnown = false;
  }

  /** Notes that an object was written in one piece of this size; 0 if it was deleted. */
  void wroteInOnePiece(Bytes id, int bytes) {
    if (bytes > 0 && sizes.isLarge(bytes) && isWorthIt(id, bytes)) {
      large.add(id);
    } else {
      large.remove(id);
    }
  }

  /** Notes that an object is too large for one piece. */
  void isTooLarge(Bytes id) {
    large.add(id);
  }
}
