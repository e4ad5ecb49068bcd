package io.github.stablecut.option;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Watch;
import java.util.Objects;
import java.util.Optional;

/**
 * The starting point of a {@link Watch}, and the maximum lag of its subscriber. Immutable.
 *
 * @param after the point after which changes are delivered; empty for the moment of the call
 * @param buffer how many changes may wait for the subscriber once the watch has caught up with the
 *     present; 1 to 1,000,000, default 1,024; a server buffers at most 16,384 for a client
 * @param hasEffects whether changes include the effects on their objects
 */
public record WatchOptions(Optional<CausalToken> after, int buffer, boolean hasEffects) {
  private static final int MAX_BUFFER = 1_000_000;
  private static final WatchOptions FROM_NOW = new WatchOptions(Optional.empty(), 1_024, false);

  /** Checks the range. */
  public WatchOptions {
    Objects.requireNonNull(after, "after");
    if (buffer < 1 || buffer > MAX_BUFFER) {
      throw new IllegalArgumentException("buffer must be 1 to 1,000,000 changes, not " + buffer);
    }
  }

  /** Watches commits after the call. */
  public static WatchOptions fromNow() {
    return FROM_NOW;
  }

  /** Watches past and future commits after a point. */
  public static WatchOptions after(CausalToken token) {
    return new WatchOptions(Optional.of(token), FROM_NOW.buffer, false);
  }

  /** Sets the buffer. */
  public WatchOptions buffer(int changes) {
    return new WatchOptions(after, changes, hasEffects);
  }

  /**
   * Includes the effects on objects in changes ({@link io.github.stablecut.Change#effects}). Once
   * the watch has caught up with the present, at most 64 MiB of names and effects may wait for the
   * subscriber, or a thirty-second of the heap if that is less. This limit applies in addition to
   * the {@link #buffer}.
   */
  public WatchOptions withEffects() {
    return new WatchOptions(after, buffer, true);
  }
}
