package io.github.stablecut.internal.transaction;

import io.github.stablecut.Change;
import java.time.Duration;
import java.util.Optional;

/**
 * A watch whose next change can be inspected before it is taken. Until it is taken the watch counts
 * it, and discards it if the store's watches hold too much. Confined to one thread at a time.
 */
public interface PeekableWatch extends EndingWatch {
  /** The next change, which stays. Otherwise as {@link #poll}. */
  Optional<Change> peek(Duration longest) throws InterruptedException;

  /** Takes the change that {@link #peek} has returned; false if it was discarded. */
  boolean tryRemove();

  /**
   * Checks that the watch is not silent because a partition could not be asked for long.
   *
   * @throws io.github.stablecut.error.PartitionUnavailableException if one could not; the watch
   *     continues when it can
   */
  void checkReached(Duration longest);
}
