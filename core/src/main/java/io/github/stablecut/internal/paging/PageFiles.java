package io.github.stablecut.internal.paging;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CorruptCheckpointException;
import io.github.stablecut.checkpoint.RunEntry;
import io.github.stablecut.checkpoint.View;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.key.Key;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.Optional;

/**
 * The files of one checkpoint, as long as anybody holds a state that may read pages from them: a
 * value that the store has returned, a version in memory, a page in the cache. Thread-safe.
 */
final class PageFiles {
  private static final Cleaner CLEANER = Cleaner.create();

  private final View view;
  private final VectorClock at;

  /**
   * @param view shared, and closed when this is unreachable
   * @param at the vector of a checkpoint
   */
  PageFiles(View view, VectorClock at) {
    this.at = at;
    this.view = view.share();
    try {
      var unused = CLEANER.register(this, this.view::close);
    } catch (RuntimeException | Error e) {
      view.close();
      throw e;
    }
  }

  /** Whether another view would read the same. */
  boolean areThoseOf(View other, VectorClock checkpoint) {
    return at.equals(checkpoint) && view.hasSameRuns(other, checkpoint);
  }

  /**
   * The bytes of a page.
   *
   * @throws CorruptCheckpointException if it is damaged or missing
   */
  byte[] read(Bytes object, int page) {
    try {
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
