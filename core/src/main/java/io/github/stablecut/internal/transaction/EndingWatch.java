package io.github.stablecut.internal.transaction;

import io.github.stablecut.Watch;

/** A watch that says that it has ended, for {@link WatchPublisher}. */
public interface EndingWatch extends Watch {
  /** Has a listener called once the watch has ended; at once, if it has. It must not block. */
  void onEnd(Runnable listener);

  /** Throws the reason if the watch has ended, even if changes wait. */
  void checkOpen();
}
