package io.github.stablecut.crdt;

import java.lang.ref.SoftReference;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the last {@link StreamFold} has made of a stream, kept beside the stream's state, so that
 * the next one goes on from there: a reader pays for the entries that nobody has folded yet.
 * Written and read without a lock, because threads that miss what another has written only fold
 * again.
 *
 * <p>What folds make is of users' classes, and nobody knows what it takes. So no cache counts it,
 * and it is kept while memory is not short.
 */
final class StreamMemo {
  private @Nullable SoftReference<Made> made;

  /**
   * What was made.
   *
   * @param tail of the entries before this position
   */
  record Made(StreamFold<?> fold, long tail, Object result) {}

  /** No fold. */
  StreamMemo() {}

  /** For the state after this one: what was made of the entries so far is what is made of them. */
  StreamMemo next() {
    StreamMemo next = new StreamMemo();
    next.made = made;
    return next;
  }

  /** What a fold has made. */
  Optional<Made> of(StreamFold<?> fold) {
    SoftReference<Made> kept = made;
    Made last = kept == null ? null : kept.get();
    return last != null && last.fold.equals(fold) ? Optional.of(last) : Optional.empty();
  }

  void keep(Made latest) {
    made = new SoftReference<>(latest);
  }
}
