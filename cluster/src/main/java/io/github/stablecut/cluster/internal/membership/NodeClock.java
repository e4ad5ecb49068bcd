package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.internal.clock.HybridClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A node's hybrid clock: the later of its machine's clock and the times that it observed. A
 * snapshot at the current time includes all commits that this node knows to be acknowledged
 * (protocol 1.5, "latest"), and later commits of its own partitions are above it. Thread-safe.
 */
public final class NodeClock {
  private final HybridClock clock;
  private final Duration maxDrift;
  private final AtomicLong refused = new AtomicLong();

  /**
   * @param clock the clock that issues the timestamps of all partitions of the node
   * @param maxDrift how far an admitted time may be ahead of the machine's clock
   */
  public NodeClock(HybridClock clock, Duration maxDrift) {
    this.clock = clock;
    this.maxDrift = maxDrift;
  }

  /** Returns the maximum lead of an admitted time over the machine's clock. */
  public Duration maxDrift() {
    return maxDrift;
  }

  /** The clock that issues the timestamps of all partitions of the node. */
  public HybridClock hybrid() {
    return clock;
  }

  /** The current time; later commits of this node's partitions are above it. */
  public long now() {
    return clock.now();
  }

  /**
   * Whether a time of another node is close enough to adopt; counts the refused ones. A time that
   * is close to the machine's wall clock after a jump, as after the machine was suspended, makes
   * this clock follow the jump.
   */
  public boolean admits(long time) {
    boolean isNear = time >= 0 && isNear(Timestamp.epochMillis(time));
    if (!isNear) {
      refused.incrementAndGet();
    }
    return isNear;
  }

  private boolean isNear(long millis) {
    return millis <= clock.machine().millis() + maxDrift.toMillis()
        || clock.machine().isConfirmedBy(millis, maxDrift);
  }

  /** Returns the lead of the current time over the machine's clock; zero if there is none. */
  public Duration ahead() {
    long millis = Timestamp.epochMillis(now()) - clock.machine().millis();
    return Duration.ofMillis(Math.max(0, millis));
  }

  /** Returns the time until the machine's clock has passed a time; zero if it has. */
  public Duration until(long time) {
    long millis = Timestamp.epochMillis(time) + 1 - clock.machine().millis();
    return Duration.ofMillis(Math.max(0, millis));
  }

  /** Advances the clock to an admitted time. */
  public void observe(long time) {
    clock.observe(time);
  }

  /** Returns the number of times that were refused because they were too far ahead. */
  public long refused() {
    return refused.get();
  }

  /** The age at which transactions of other nodes have ended. */
  public Duration ageElsewhere(Duration maxTransactionAge, Duration commitTimeout) {
    return maxTransactionAge.plus(commitTimeout).plus(maxDrift.multipliedBy(2));
  }

  /** The oldest time that running transactions of other nodes may need. */
  public long oldestElsewhere(Duration age) {
    return Timestamp.of(Timestamp.countAt(clock.machine().millis() - age.toMillis()), 0);
  }
}
