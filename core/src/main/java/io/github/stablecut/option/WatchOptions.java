package io.github.stablecut.option;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Watch;
import java.util.Objects;
import java.util.Optional;

/**
 * Where a {@link Watch} begins, and how far it may lag. Immutable.
 *
 * @param after the point after which changes are told; empty for the moment of the call
 * @param buffer how many changes may wait for the user of a watch that has caught up with the
 *     present, 1 to 1,000,000; default 1,024; a server buffers at most 16,384 for a client
 * @param hasEffects whether a change has what was done to its objects
 */
public record WatchOptions(Optional<CausalToken> after, int buffer, boolean hasEffects) {
  private static final int MAX_BUFFER = 1_000_000;
  private static final WatchOptions FROM_NOW = new WatchOptions(Optional.empty(), 1_024, false);

  /** Checks the range. */
  public WatchOptions {
    Objects.requireNonNull(after, "after");
    if (buffer < 1 || buffer > MAX_BUFFER) {
      throw new IllegalArgumentException("buffer is 1 to 1,000,000 changes, not " + buffer);
    }
  }

  /** Commits after the call. */
  public static WatchOptions fromNow() {
    return FROM_NOW;
  }

  /** Past and future commits after a point. */
  public static WatchOptions after(CausalToken token) {
    return new WatchOptions(Optional.of(token), FROM_NOW.buffer, false);
  }

  /** These options with another buffer. */
  public WatchOptions buffer(int changes) {
    return new WatchOptions(after, changes, hasEffects);
  }

  /**
   * These options for a watch whose changes have what was done to the objects, too: {@link
   * io.github.stablecut.Change#effects}. Names and effects of 64 MiB, or a thirty-second of the
   * heap if that is less, may wait for the user of a watch that has caught up with the present,
   * whatever its {@link #buffer}.
   */
  public WatchOptions withEffects() {
    return new WatchOptions(after, buffer, true);
  }
}
