package io.github.stablecut.internal.clock;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.Timestamp;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The hybrid logical clock of a process (Kulkarni et al., "Logical Physical Clocks", 2014): never
 * below the machine's clock, never backwards, each tick different. All partitions of the process
 * take their times from it. So a time that one of them has issued is below every later commit time
 * of any of them (docs/protocol.md, section 1.5). Thread-safe and lock-free.
 */
public final class HybridClock {
  private final MachineClock machine;
  private final int ahead;

  /** The count of the latest issued timestamp ({@link Timestamp#count}). */
  private final AtomicLong last = new AtomicLong();

  /** Creates a clock that begins exactly where an earlier one ended. */
  public HybridClock(MachineClock machine) {
    this(machine, 0);
  }

  /**
   * @param machine the machine's clock
   * @param ahead how many counts above an earlier clock's end this one begins, if that end is ahead
   *     of the machine's clock; random, so that two processes that open copies of one directory do
   *     not give the same timestamps to different transactions
   */
  public HybridClock(MachineClock machine, int ahead) {
    this.machine = machine;
    this.ahead = ahead;
  }

  /** The machine's clock. */
  public MachineClock machine() {
    return machine;
  }

  /**
   * Issues a timestamp above all issued ones and above {@code floor}.
   *
   * @param partition goes into the timestamp
   */
  long tick(int partition, long floor) {
    long atLeast = Math.max(Timestamp.count(floor) + 1, machineCount());
    while (true) {
      long latest = last.get();
      long next = Math.max(latest + 1, atLeast);
      if (last.compareAndSet(latest, next)) {
        return Timestamp.of(next, partition);
      }
    }
  }

  /** The current time: at or above all issued timestamps, and below all later ticks. */
  public long now() {
    return observeCount(machineCount());
  }

  /** Begins above every timestamp that an earlier clock may have issued. */
  void begin(long latest) {
    long count = Timestamp.count(latest);
    observeCount(count < machineCount() ? count : count + ahead);
  }

  /** Observes a time of another process: all later ticks are above it. */
  public void observe(long time) {
    observeCount(Timestamp.count(time));
  }

  @CanIgnoreReturnValue
  private long observeCount(long count) {
    long newest = last.get();
    // Usually no write is needed.
    if (newest < count) {
      newest = last.accumulateAndGet(count, Math::max);
    }
    return Timestamp.of(newest, Timestamp.MAX_PARTITIONS - 1);
  }

  /** A timestamp at or above all issued ones. */
  public long issued() {
    return Timestamp.of(last.get(), Timestamp.MAX_PARTITIONS - 1);
  }

  /** The smallest timestamp at the machine's current time. */
  public long machineTime() {
    return Timestamp.of(machineCount(), 0);
  }

  private long machineCount() {
    return Timestamp.countAt(machine.millis());
  }
}
