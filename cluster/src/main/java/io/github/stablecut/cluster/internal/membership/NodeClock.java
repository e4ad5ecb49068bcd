package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.internal.clock.HybridClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a node takes as the present: its machine's clock, or what it has heard of if that is later.
 * So a snapshot at it has all that this node knows to be acknowledged (protocol 1.5, "latest"), and
 * all that its own partitions commit later is above it. Thread-safe.
 */
public final class NodeClock {
  private final HybridClock clock;
  private final Duration maxDrift;
  private final AtomicLong refused = new AtomicLong();

  /**
   * @param clock that all partitions of the node take their times from
   * @param maxDrift a time that is further ahead of the machine's clock is refused
   */
  public NodeClock(HybridClock clock, Duration maxDrift) {
    this.clock = clock;
    this.maxDrift = maxDrift;
  }

  /** A time that is further ahead of the machine's clock is refused. */
  public Duration maxDrift() {
    return maxDrift;
  }

  /** The clock that all partitions of the node take their times from. */
  public HybridClock hybrid() {
    return clock;
  }

  /** The present: later commits of this node's partitions are above it. */
  public long now() {
    return clock.now();
  }

  /**
   * Whether a time of another node is so near that it may be adopted; counts those that are not.
   * One that is near the machine's wall clock after a jump, as after the machine was suspended, has
   * that followed.
   */
  public boolean admits(long time) {
    boolean isNear = time >= 0 && isNear(Timestamp.epochMillis(time));
    if (!isNear) {
      var unused = refused.incrementAndGet();
    }
    return isNear;
  }

  private boolean isNear(long millis) {
    return millis <= clock.machine().millis() + maxDrift.toMillis()
        || clock.machine().isConfirmedBy(millis, maxDrift);
  }

  /** How far the present is ahead of the machine's clock; zero if it is not. */
  public Duration ahead() {
    long millis = Timestamp.epochMillis(now()) - clock.machine().millis();
    return Duration.ofMillis(Math.max(0, millis));
  }

  /** How long the machine's clock takes until it is past a time. */
  public Duration until(long time) {
    long millis = Timestamp.epochMillis(time) + 1 - clock.machine().millis();
    return Duration.ofMillis(Math.max(0, millis));
  }

  /** Takes note of a time that was admitted. */
  public void observe(long time) {
    clock.observe(time);
  }

  /** How many times were too far ahead. */
  public long refused() {
    return refused.get();
  }

  /** Transactions elsewhere that have begun longer ago have ended. */
  public Duration ageElsewhere(Duration maxTransactionAge, Duration commitTimeout) {
    return maxTransactionAge.plus(commitTimeout).plus(maxDrift.multipliedBy(2));
  }

  /** The oldest time that transactions which run elsewhere may still need. */
  public long oldestElsewhere(Duration age) {
    return Timestamp.of(Timestamp.countAt(clock.machine().millis() - age.toMillis()), 0);
  }
}
