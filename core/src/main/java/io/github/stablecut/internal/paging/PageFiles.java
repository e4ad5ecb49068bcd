package io.github.stablecut.internal.paging;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.CorruptCheckpointException;
import io.github.stablecut.checkpoint.RunEntry;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.key.Key;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.Optional;

/**
 * The files of one checkpoint, held while any reachable state may read pages from them: a value
 * returned by the store, a version in memory, or a page in the cache. Thread-safe.
 *
 * <p>A merge replaces files, but the checkpoint's contents stay the same: {@link #moveTo} releases
 * the replaced files, even while this is in use.
 */
final class PageFiles {
  private static final Cleaner CLEANER = Cleaner.create();

  /** The state that the cleaner closes; must not refer to the {@link PageFiles}. Thread-safe. */
  private static final class HeldView {
    private final Runnable released;

    @GuardedBy("this")
    private CheckpointView view;

    HeldView(CheckpointView view, Runnable released) {
      this.view = view.share();
      this.released = released;
    }

    synchronized CheckpointView shared() {
      return view.share();
    }

    /** Replaces the held view with a newer one. */
    synchronized void replace(CheckpointView newer) {
      if (newer.manifest().number() > view.manifest().number()) {
        CheckpointView before = view;
        view = newer.share();
        before.close();
      }
    }

    synchronized void close() {
      view.close();
    }

    void abandoned() {
      close();
      released.run();
    }
  }

  private final HeldView held;
  private final VectorClock at;

  /**
   * @param view shared, and closed when this is unreachable
   * @param at the vector of a checkpoint
   * @param released runs after the view was closed; must be quick
   */
  PageFiles(CheckpointView view, VectorClock at, Runnable released) {
    this.at = at;
    this.held = new HeldView(view, released);
    try {
      CLEANER.register(this, held::abandoned);
    } catch (RuntimeException | Error e) {
      held.close();
      throw e;
    }
  }

  /** The vector of the checkpoint. */
  VectorClock at() {
    return at;
  }

  /** Switches to the files of another view, if it is newer and has the checkpoint. */
  void moveTo(CheckpointView newer) {
    if (newer.manifest().lowWatermark().isAtOrBefore(at)
        && newer.newestAt(at).map(Checkpoint::at).filter(at::equals).isPresent()) {
      held.replace(newer);
    }
  }

  /**
   * The bytes of a page.
   *
   * @throws CorruptCheckpointException if it is damaged or missing
   */
  byte[] read(Bytes object, int page) {
    try (CheckpointView view = held.shared()) {
      Optional<RunEntry> entry = view.find(PageIds.of(object, page), at);
      return entry
          .filter(found -> !found.isDeleted())
          .orElseThrow(() -> new CorruptCheckpointException("it is missing"))
          .state();
    } catch (CorruptCheckpointException e) {
      throw new CorruptCheckpointException(
          "page %d of object %s can't be read; other parts of the object may be readable: %s"
              .formatted(page, Key.nameOf(object), e.getMessage()),
          e);
    } finally {
      Reference.reachabilityFence(this);
    }
  }
}
