package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.clock.MachineClock;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.thread.CompletionExecutor;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * The partitions of a {@link Simulation} and their processes: either all in one, as in an embedded
 * store, or each in its own, as in a cluster. A process has one clock, and crashes or ends as a
 * whole. Machine clocks differ, step back across a restart, and jump forward for a while. Confined
 * to one thread.
 */
final class UnreplicatedProcesses implements SimulatedProcesses {
  private static final int MAX_DATA_CENTRES = 3;

  /** How far a crash may put a clock ahead of the machines', and a margin for ceilings in steps. */
  private static final long CEILING_MILLIS = 10_000;

  private static final long STEP_MILLIS = 101;

  private static final Duration MAX_CLOCK_JUMP = Duration.ofSeconds(10);

  private final Random random;
  private final StoreOptions options;
  private final LongSupplier nanos;
  private final Transport transport;
  private final SimulatedFaults faults;
  private final boolean isOneProcess;
  private final int dataCentres;
  private final LocalDataCentre local;

  /** For each partition, up to where it has other data centres' commits. */
  private final List<VectorClock> arrived = new ArrayList<>();

  private final int maxSkewMillis;
  private final ActiveSnapshots active;
  private final List<LossyDisk> disks = new ArrayList<>();
  private final List<Optional<Partition>> partitions = new ArrayList<>();

  /** The clocks of the processes; empty while one is down. */
  private final List<Optional<HybridClock>> clocks = new ArrayList<>();

  /** The processes' executors of stages. */
  private final List<CompletionExecutor> completions = new ArrayList<>();

  private final long[] skewMillis;

  /** How far each machine's clock has jumped; it comes back. */
  private final long[] jumpMillis;

  /** How much of that a store follows: a large jump only if it was opened meanwhile. */
  private final long[] followedMillis;

  /** The maximum time of each process's clock at its next opening. */
  private final long[] latestMillis;

  private long maxMachineMillis;
  private IntConsumer whenEnded = process -> {};
  private long epoch;

  UnreplicatedProcesses(
      Random random,
      StoreOptions options,
      LongSupplier nanos,
      Transport transport,
      SimulatedFaults faults) {
    this.random = random;
    this.faults = faults;
    this.options = options;
    this.nanos = nanos;
    this.transport = transport;
    this.isOneProcess = random.nextBoolean();
    this.dataCentres = 1 + random.nextInt(MAX_DATA_CENTRES);
    this.local = new LocalDataCentre(random.nextInt(dataCentres));
    this.maxSkewMillis = 1 + random.nextInt(1 << random.nextInt(12));
    this.active = new ActiveSnapshots(nanos, Long.MAX_VALUE);
    int processes = isOneProcess ? 1 : PARTITIONS;
    this.skewMillis = new long[processes];
    this.jumpMillis = new long[processes];
    this.followedMillis = new long[processes];
    this.latestMillis = new long[processes];
    for (int process = 0; process < processes; process++) {
      skewMillis[process] = random.nextInt(maxSkewMillis);
      clocks.add(Optional.empty());
      completions.add(completions());
    }
    for (int number = 0; number < PARTITIONS; number++) {
      disks.add(LossyDisk.empty());
      partitions.add(Optional.empty());
      arrived.add(VectorClock.ZERO);
    }
    for (int process = 0; process < processes; process++) {
      open(process);
    }
  }

  @Override
  public boolean isAlone() {
    return dataCentres == 1;
  }

  @Override
  public LocalDataCentre local() {
    return local;
  }

  @Override
  public VectorClock arrived() {
    return arrived.stream().reduce(VectorClock::meet).orElseThrow();
  }

  @Override
  public VectorClock someArrived() {
    VectorClock some = arrived();
    for (int other = 0; other < some.size(); other++) {
      if (random.nextBoolean()) {
        long before = some.get(other) - random.nextLong(1L << (1 + random.nextInt(50)));
        some = some.with(other, Math.max(0, before));
      }
    }
    return some;
  }

  /**
   * Delivers to a partition, which is down, the others' commits up to some time, on none of the
   * objects.
   */
  private void arrive(int number) {
    VectorClock before = arrived.get(number);
    VectorClock more = before;
    for (int other = 0; other < dataCentres; other++) {
      if (other != local.number() && random.nextBoolean()) {
        more = more.with(other, Math.max(more.get(other), anyTimeElsewhere(other)));
      }
    }
    disks.set(number, Arrivals.add(disks.get(number), before, more));
    arrived.set(number, more);
  }

  /** Before the present or after it, like clocks of other data centres. */
  private long anyTimeElsewhere(int dataCentre) {
    long behind = random.nextLong(1L << (1 + random.nextInt(30)));
    long millis = trueMillis() + 5_000 - behind;
    maxMachineMillis = Math.max(maxMachineMillis, millis);
    return Timestamp.of(Timestamp.countAt(millis), dataCentre);
  }

  @Override
  public void whenEnded(IntConsumer listener) {
    whenEnded = listener;
  }

  @Override
  public boolean isOne() {
    return isOneProcess;
  }

  @Override
  public int count() {
    return clocks.size();
  }

  @Override
  public ActiveSnapshots active() {
    return active;
  }

  private long trueMillis() {
    return 1_800_000_000_000L + nanos.getAsLong() / 1_000_000;
  }

  @Override
  public long machineMillis(int process) {
    if (jumpMillis[process] == 0) {
      followedMillis[process] = 0;
    }
    long now = trueMillis() + skewMillis[process];
    maxMachineMillis = Math.max(maxMachineMillis, now + followedMillis[process]);
    return now + jumpMillis[process];
  }

  @Override
  public void jump(int partition) {
    int process = processOf(partition);
    boolean isBack = jumpMillis[process] != 0;
    int most = random.nextBoolean() ? 1_000 : 1 << 28;
    jumpMillis[process] = isBack ? 0 : random.nextInt(most);
    // The store notices that a clock came back when it reads it; until then it continues from the
    // jump.
    followedMillis[process] =
        Math.max(followedMillis[process], Math.min(jumpMillis[process], MAX_CLOCK_JUMP.toMillis()));
  }

  @Override
  public void endFaults() {
    for (int number = 0; number < PARTITIONS; number++) {
      disks.get(number).checkpoints().failAt(0);
      disks.get(number).checkpoints().failReadOnce(0);
    }
    Arrays.fill(jumpMillis, 0);
    Arrays.fill(followedMillis, 0);
  }

  @Override
  public void failDisk(int partition) {
    LossyDirectory checkpoints = disks.get(partition).checkpoints();
    if (random.nextBoolean()) {
      checkpoints.failReadOnce(1 + random.nextInt(3));
    } else {
      checkpoints.failAt(checkpoints.operations() + 1 + random.nextInt(12));
    }
  }

  @Override
  public void failNextRead(int partition) {
    if (get(partition).isPresent()) {
      disks.get(partition).checkpoints().failReadOnce(1);
    }
  }

  @Override
  public int processOf(int partition) {
    return isOneProcess ? 0 : partition;
  }

  @Override
  public Optional<HybridClock> clock(int process) {
    return clocks.get(process);
  }

  @Override
  public Optional<Partition> get(int number) {
    return partitions.get(number);
  }

  private List<Integer> partitionsOf(int process) {
    return IntStream.range(0, PARTITIONS)
        .filter(number -> processOf(number) == process)
        .boxed()
        .toList();
  }

  @Override
  public void openAll() {
    for (int process = 0; process < clocks.size(); process++) {
      if (clocks.get(process).isEmpty()) {
        open(process);
      }
    }
  }

  private void open(int process) {
    try {
      tryToOpen(process);
    } catch (RuntimeException e) {
      SimulatedFaults.expect(e);
      // As if it had crashed before it was open.
      crashed(process, true);
    }
  }

  private void tryToOpen(int process) {
    HybridClock clock =
        new HybridClock(
            new MachineClock(faults.clock(() -> machineMillis(process)), nanos, MAX_CLOCK_JUMP));
    followedMillis[process] = jumpMillis[process];
    clocks.set(process, Optional.of(clock));
    PartitionContext context =
        PartitionContext.builder(
                ++epoch,
                clock,
                active,
                (partition, message) -> transport.send(process, partition, message))
            .elsewhere(vector -> local.lowerOthers(vector, arrived()))
            .shared(vector -> local.lowerOthers(vector, arrived()))
            .recorded(vector -> local.lowerOthers(vector, arrived()))
            .nanoTime(nanos)
            .build();
    for (int number : partitionsOf(process)) {
      if (dataCentres > 1) {
        arrive(number);
      }
      LossyDisk disk = disks.get(number);
      Partition opened =
          Partition.open(
              PartitionSettings.of(options, local, number),
              context,
              disk.journal(),
              disk.checkpoints());
      partitions.set(number, Optional.of(opened));
    }
    if (Timestamp.epochMillis(clock.issued()) > Math.max(latestMillis[process], maxMachineMillis)) {
      throw new AssertionError(
          "the clock of process %d begins at %s, and may at %s"
              .formatted(
                  process,
                  Timestamp.format(clock.issued()),
                  Instant.ofEpochMilli(Math.max(latestMillis[process], maxMachineMillis))));
    }
  }

  @Override
  public void crash(int partition) {
    int process = processOf(partition);
    if (clock(process).isPresent()) {
      long listener = Timestamp.epochMillis(clock(process).get().issued());
      latestMillis[process] =
          Math.max(listener + STEP_MILLIS, maxMachineMillis + CEILING_MILLIS + STEP_MILLIS);
      crashed(process, random.nextBoolean());
    }
  }

  private void crashed(int process, boolean isKill) {
    for (int number : partitionsOf(process)) {
      LossyDisk disk = disks.get(number);
      disks.set(
          number, isKill ? disk.afterKill() : disk.afterPowerCut(random, random.nextDouble()));
    }
    ended(process);
  }

  @Override
  public void close(int partition) {
    int process = processOf(partition);
    if (clock(process).isPresent()) {
      for (int number : partitionsOf(process)) {
        Partition closing = partitions.get(number).orElseThrow();
        closing.endClock();
        closing.close();
        disks.set(number, disks.get(number).afterKill());
      }
      latestMillis[process] = Timestamp.epochMillis(clock(process).get().issued());
      ended(process);
    }
  }

  private void ended(int process) {
    clocks.set(process, Optional.empty());
    completions.set(process, completions());
    for (int number : partitionsOf(process)) {
      partitions.set(number, Optional.empty());
    }
    whenEnded.accept(process);
    // Mostly back: the times issued before are above the machine's clock then.
    skewMillis[process] += random.nextInt(2 * maxSkewMillis) - 3L * maxSkewMillis / 2;
  }

  @Override
  public void failInTheMiddle(int partition) {
    get(partition)
        .ifPresent(
            failing -> {
              disks.get(partition).journal().failOnce(1 + random.nextInt(3));
              failing.flushGroup();
              crash(partition);
            });
  }

  @Override
  public Executor completions(int process) {
    return completions.get(process);
  }

  /** A new one, whose threads are not started. */
  private CompletionExecutor completions() {
    return new CompletionExecutor(faults.executor(), new FaultLog());
  }

  @Override
  public void complete() {
    completions.forEach(CompletionExecutor::submitAll);
  }

  @Override
  public void flushGroup(int partition) {
    get(partition).ifPresent(Partition::flushGroup);
    if (random.nextInt(3) > 0) {
      complete();
    }
  }

  @Override
  public void checkJournals() {
    partitions.forEach(
        partition ->
            partition
                .flatMap(Partition::failure)
                .ifPresent(
                    why -> {
                      throw new AssertionError("a journal has failed: " + why);
                    }));
  }

  @Override
  public void maintain(int partition) {
    get(partition)
        .ifPresent(
            open -> {
              open.maintain();
            });
  }

  @Override
  public void tick() {
    partitions.forEach(partition -> partition.ifPresent(Partition::tick));
  }
}
