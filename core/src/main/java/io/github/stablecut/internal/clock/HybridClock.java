package io.github.stablecut.internal.clock;

import io.github.stablecut.causality.Timestamp;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The hybrid logical clock of a process (Kulkarni et al., "Logical Physical Clocks", 2014): never
 * below the machine's clock, never backwards, each tick different. All partitions of the process
 * take their times from it, so a time that one of them has told is below all that any of them will
 * give to a commit later (docs/protocol.md, section 1.5). Thread-safe, without locks.
 */
public final class HybridClock {
  private final MachineClock machine;
  private final int ahead;

  /** The count of the latest timestamp told ({@link Timestamp#count}). */
  private final AtomicLong last = new AtomicLong();

  /** One that begins exactly where an earlier one ended. */
  public HybridClock(MachineClock machine) {
    this(machine, 0);
  }

  /**
   * @param machine the machine's clock
   * @param ahead by how many counts it begins above where an earlier one ended, if that is ahead of
   *     the machine's clock; random, so that two processes that open copies of one directory do not
   *     give the same timestamps to different transactions
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
   * A timestamp above all that were told, and above {@code floor}.
   *
   * @param partition goes into the timestamp
   */
  long tick(int partition, long floor) {
    long atLeast = Math.max(Timestamp.count(floor) + 1, machineCount());
    while (true) {
      long told = last.get();
      long next = Math.max(told + 1, atLeast);
      if (last.compareAndSet(told, next)) {
        return Timestamp.of(next, partition);
      }
    }
  }

  /** The present: at or above all timestamps that were told, and below all later ticks. */
  public long now() {
    return observeCount(machineCount());
  }

  /** Begins above what an earlier clock may have told. */
  void begin(long latest) {
    long count = Timestamp.count(latest);
    var unused = observeCount(count < machineCount() ? count : count + ahead);
  }

  /** Takes note of a time of another process: all later ticks are above it. */
  public void observe(long time) {
    var unused = observeCount(Timestamp.count(time));
  }

  private long observeCount(long count) {
    long newest = last.get();
    // Most of the time nothing has to be written.
    if (newest < count) {
      newest = last.accumulateAndGet(count, Math::max);
    }
    return Timestamp.of(newest, Timestamp.MAX_PARTITIONS - 1);
  }

  /** At or above all that was told. */
  public long told() {
    return Timestamp.of(last.get(), Timestamp.MAX_PARTITIONS - 1);
  }

  /** The smallest timestamp of what the machine's clock shows. */
  public long machineTime() {
    return Timestamp.of(machineCount(), 0);
  }

  private long machineCount() {
    return Timestamp.countAt(machine.millis());
  }
}
