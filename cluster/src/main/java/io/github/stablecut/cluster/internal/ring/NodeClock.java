package io.github.stablecut.cluster.internal.ring;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.clock.HybridClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a node takes as the present: its machine's clock, or what it has heard of if that is later.
 * So a snapshot at it has all that this node knows to be acknowledged (protocol 1.5, "latest"), and
 * all that its own partitions commit later is above it. Thread-safe.
 */
final class NodeClock {
  /** A time that is further ahead of the machine's clock is refused. */
  static final Duration MAX_DRIFT = Duration.ofSeconds(60);

  private final HybridClock clock;
  private final AtomicLong refused = new AtomicLong();

  /**
   * @param clock that all partitions of the node take their times from
   */
  NodeClock(HybridClock clock) {
    this.clock = clock;
  }

  /** The clock that all partitions of the node take their times from. */
  HybridClock hybrid() {
    return clock;
  }

  /** The present: later commits of this node's partitions are above it. */
  long now() {
    return clock.now();
  }

  /** The present as a snapshot. */
  VectorClock snapshot() {
    return VectorClock.of(now());
  }

  /** Whether a time is so near that it may be adopted; counts those that are not. */
  boolean admits(long time) {
    boolean isNear =
        time >= 0 && Timestamp.epochMillis(time) <= clock.machine().millis() + MAX_DRIFT.toMillis();
    if (!isNear) {
      var unused = refused.incrementAndGet();
    }
    return isNear;
  }

  /** Takes note of a time that was admitted. */
  void observe(long time) {
    clock.observe(time);
  }

  /** How many times were too far ahead. */
  long refused() {
    return refused.get();
  }

  /** The oldest time that transactions which run elsewhere may still need. */
  VectorClock oldestElsewhere(Duration maxTransactionAge, Duration commitTimeout) {
    long age = maxTransactionAge.plus(commitTimeout).plus(MAX_DRIFT.multipliedBy(2)).toMillis();
    return VectorClock.of(Timestamp.of(Timestamp.countAt(clock.machine().millis() - age), 0));
  }
}
