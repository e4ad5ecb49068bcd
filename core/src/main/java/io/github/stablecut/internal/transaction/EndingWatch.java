package io.github.stablecut.internal.transaction;

import io.github.stablecut.Change;
import io.github.stablecut.Watch;
import io.github.stablecut.error.DurationWords;
import java.time.Duration;
import java.util.Optional;

/** A watch that notifies a listener of its end, for {@link WatchPublisher}. */
public interface EndingWatch extends Watch {
  /** The longest single wait; longer waits are repeated. */
  Duration LONGEST = Duration.ofHours(1);

  @Override
  default Change next() throws InterruptedException {
    while (true) {
      Optional<Change> change = poll(LONGEST);
      if (change.isPresent()) {
        return change.get();
      }
    }
  }

  /** Rejects a negative wait. */
  static void checkWait(Duration longest) {
    if (longest.isNegative()) {
      throw new IllegalArgumentException(
          "a wait is at least zero, not " + DurationWords.of(longest));
    }
  }

  /**
   * Calls a listener when the watch ends; immediately if it has ended. The listener must not block.
   */
  void onEnd(Runnable listener);

  /** Throws the reason if the watch has ended, even if changes are buffered. */
  void checkOpen();
}
