package io.github.stablecut.internal.replication;

import java.util.concurrent.TimeUnit;

/**
 * The time of a store's last commit or receipt. After activity, idle partitions send heartbeats
 * more often, because other data centres wait for their time. Thread-safe.
 */
public final class StoreActivity {
  private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private volatile long lastNanos;
  private volatile boolean isActive;

  void onActivity(long nowNanos) {
    lastNanos = nowNanos;
    isActive = true;
  }

  boolean isRecent(long nowNanos) {
    return isWithin(nowNanos, RECENT_NANOS);
  }

  /** Whether there was activity within a duration before now. */
  boolean isWithin(long nowNanos, long nanos) {
    return isActive && nowNanos - lastNanos <= nanos;
  }
}
