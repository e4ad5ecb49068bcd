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
 * The files of one checkpoint, as long as anybody holds a state that may read pages from them: a
 * value that the store has returned, a version in memory, a page in the cache. Thread-safe.
 *
 * <p>A merge replaces files, and what the checkpoint has stays the same: {@link #moveTo} lets go of
 * the replaced ones, whoever holds this.
 */
final class PageFiles {
  private static final Cleaner CLEANER = Cleaner.create();

  /** What the cleaner closes: must not refer to the files themselves. Thread-safe. */
  private static final class Held {
    private final Runnable released;

    @GuardedBy("this")
    private CheckpointView view;

    Held(CheckpointView view, Runnable released) {
      this.view = view.share();
      this.released = released;
    }

    synchronized CheckpointView shared() {
      return view.share();
    }

    /** Holds a newer view in the place of this one. */
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

  private final Held held;
  private final VectorClock at;

  /**
   * @param view shared, and closed when this is unreachable
   * @param at the vector of a checkpoint
   * @param released runs when it was closed; quick
   */
  PageFiles(CheckpointView view, VectorClock at, Runnable released) {
    this.at = at;
    this.held = new Held(view, released);
    try {
      var unused = CLEANER.register(this, held::abandoned);
    } catch (RuntimeException | Error e) {
      held.close();
      throw e;
    }
  }

  /** The vector of the checkpoint. */
  VectorClock at() {
    return at;
  }

  /** Reads from the files of another view from now on, if it is newer and has the checkpoint. */
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
