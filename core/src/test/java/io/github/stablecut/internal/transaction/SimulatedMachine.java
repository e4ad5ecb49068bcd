package io.github.stablecut.internal.transaction;

import io.github.stablecut.internal.replica.Configuration;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;

/**
 * What outlives a run of a simulated node: its name, its disks, and its clocks, which differ from
 * those of others, jump, and run slow or fast. Confined to one thread.
 */
final class SimulatedMachine {
  private static final long BEGIN_MILLIS = 1_800_000_000_000L;

  private final Random random;
  private final SimulatedTime time;
  private final int index;
  private final int maxSkewMillis;
  private final Map<Integer, SimulatedReplicaDisk> disks = new TreeMap<>();
  private String name;
  private long skewMillis;
  private long jumpMillis;

  /** How fast the monotonic clock is, in percent. */
  private int percent;

  /** The monotonic clock at {@link #setAtNanos}. */
  private long setNanos;

  private long setAtNanos;

  SimulatedMachine(
      Random random, SimulatedTime time, int index, String name, int maxSkewMillis, int percent) {
    this.random = random;
    this.time = time;
    this.index = index;
    this.name = name;
    this.maxSkewMillis = maxSkewMillis;
    this.percent = percent;
    this.skewMillis = random.nextInt(maxSkewMillis);
  }

  int index() {
    return index;
  }

  /** The name of its replicas. */
  String name() {
    return name;
  }

  /** The partitions of which it has replicas. */
  Map<Integer, SimulatedReplicaDisk> disks() {
    return disks;
  }

  SimulatedReplicaDisk disk(int number) {
    return Objects.requireNonNull(disks.get(number));
  }

  /** The wall clock. */
  long millis() {
    return BEGIN_MILLIS + time.now() / SimulatedTime.MILLI + skewMillis + jumpMillis;
  }

  /** The monotonic clock. */
  long nanos() {
    return setNanos + (time.now() - setAtNanos) / 100 * percent;
  }

  /** The wall clock jumps forward, or comes back. */
  void jump(int mostMillis) {
    jumpMillis = jumpMillis == 0 ? random.nextInt(mostMillis) : 0;
  }

  /** The wall clock is set while no process runs. */
  void stepClock() {
    skewMillis += random.nextInt(2 * maxSkewMillis) - 3L * maxSkewMillis / 2;
  }

  /** Ends the faults of clocks and disks. */
  void calm() {
    jumpMillis = 0;
    setNanos = nanos();
    setAtNanos = time.now();
    percent = 100;
    disks.values().forEach(SimulatedReplicaDisk::endFaults);
  }

  /** A process has been killed, or the power was cut. */
  void crash(boolean isKill) {
    double survivors = random.nextInt(3) / 2.0;
    disks.replaceAll(
        (number, disk) -> isKill ? disk.afterKill() : disk.afterPowerCut(random, survivors));
  }

  /** All files are lost for good: replicas get a new name. */
  void loseDisks() {
    disks.replaceAll((number, disk) -> new SimulatedReplicaDisk());
    name = Configuration.renewedName(Configuration.nodeOf(name), random.nextLong());
  }
}
