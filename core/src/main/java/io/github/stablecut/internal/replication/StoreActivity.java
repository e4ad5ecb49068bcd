package io.github.stablecut.internal.replication;

import java.util.concurrent.TimeUnit;

/**
 * When something was last committed or received in a store: then its idle partitions tell of time
 * more often, as others wait for it. Thread-safe.
 */
public final class StoreActivity {
  private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private volatile long lastNanos;
  private volatile boolean hasHappened;

  void happened(long now) {
    lastNanos = now;
    hasHappened = true;
  }

  boolean isRecent(long now) {
    return isWithin(now, RECENT_NANOS);
  }

  /** Whether something happened in a time before now. */
  boolean isWithin(long now, long nanos) {
    return hasHappened && now - lastNanos <= nanos;
  }
}
