package io.github.stablecut.crdt.stream;

import java.lang.ref.SoftReference;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Caches the result of the last {@link StreamFold} with a stream's state. The next fold resumes
 * from it, so a reader only folds new entries. Accessed without a lock: a thread that misses
 * another's write only repeats the fold.
 *
 * <p>Results are instances of user classes of unknown size, which a cache with a size limit could
 * not account for. So a soft reference holds the result until memory is low.
 */
final class StreamMemo {
  private @Nullable SoftReference<FoldResult> cached;

  /**
   * The result of a fold.
   *
   * @param tail the position after the last folded entry
   */
  record FoldResult(StreamFold<?> fold, long tail, Object result) {}

  /** Creates an empty cache. */
  StreamMemo() {}

  /**
   * The cache for the next state of the stream, in which the result for the entries so far is still
   * valid.
   */
  StreamMemo next() {
    StreamMemo next = new StreamMemo();
    next.cached = cached;
    return next;
  }

  /** The cached result of a fold; empty if there is none. */
  Optional<FoldResult> of(StreamFold<?> fold) {
    SoftReference<FoldResult> reference = cached;
    FoldResult last = reference == null ? null : reference.get();
    return last != null && last.fold.equals(fold) ? Optional.of(last) : Optional.empty();
  }

  void keep(FoldResult latest) {
    cached = new SoftReference<>(latest);
  }
}
