package io.github.stablecut.internal.transaction;

import io.github.stablecut.Change;
import java.time.Duration;
import java.util.Optional;

/**
 * A watch whose next change can be inspected before it is removed. Until then the change counts
 * against the watches' memory, and is discarded if they hold too much. Confined to one thread at a
 * time.
 */
public interface PeekableWatch extends EndingWatch {
  /** Returns the next change without removing it. Otherwise as {@link #poll}. */
  Optional<Change> peek(Duration longest) throws InterruptedException;

  /** Removes the change that {@link #peek} returned; returns false if it was discarded. */
  boolean tryRemove();

  /**
   * Checks that no partition of the watch has been unreachable for too long.
   *
   * @throws io.github.stablecut.error.PartitionUnavailableException if one has; the watch continues
   *     when it is reachable again
   */
  void checkReached(Duration longest);
}
