package io.github.stablecut.cluster.internal.ring;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a node takes as the present: its machine's clock, or what it has heard of if that is later.
 * So a snapshot at it has all that this node knows to be acknowledged (protocol 1.5, "latest").
 * Thread-safe.
 */
final class NodeClock {
  /** A time that is further ahead of the machine's clock is refused. */
  static final Duration MAX_DRIFT = Duration.ofSeconds(60);

  private final InstantSource machine;
  private final AtomicLong latest = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();

  NodeClock(InstantSource machine) {
    this.machine = machine;
  }

  /** The present, above all commits of the same count. */
  long now() {
    long physical = Timestamp.of(Timestamp.countAt(machine.millis()), Timestamp.MAX_PARTITIONS - 1);
    return latest.accumulateAndGet(physical, Math::max);
  }

  /** The present as a snapshot. */
  VectorClock snapshot() {
    return VectorClock.of(now());
  }

  /** Whether a time is so near that it may be adopted; counts those that are not. */
  boolean admits(long time) {
    boolean isNear =
        time >= 0 && Timestamp.epochMillis(time) <= machine.millis() + MAX_DRIFT.toMillis();
    if (!isNear) {
      var unused = refused.incrementAndGet();
    }
    return isNear;
  }

  /** Takes note of a time that was admitted. */
  void observe(long time) {
    var unused = latest.accumulateAndGet(time, Math::max);
  }

  /** How many times were too far ahead. */
  long refused() {
    return refused.get();
  }

  /** The oldest time that transactions which run elsewhere may still need. */
  VectorClock oldestElsewhere(Duration maxTransactionAge, Duration commitTimeout) {
    long age = maxTransactionAge.plus(commitTimeout).plus(MAX_DRIFT.multipliedBy(2)).toMillis();
    return VectorClock.of(Timestamp.of(Timestamp.countAt(machine.millis() - age), 0));
  }
}
