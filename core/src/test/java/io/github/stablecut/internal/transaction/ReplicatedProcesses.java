package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.UnexpectedFailureException;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.materializer.VersionSource;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.replicated.PartitionReplica;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The partitions of a {@link SimulatedCluster}, as their clients see them: some clients stay with a
 * leader that has been deposed. The kinds and the rate of faults are drawn for each history.
 * Confined to one thread.
 */
final class ReplicatedProcesses implements SimulatedProcesses {
  /** The longest time until all partitions are served at first. */
  private static final long WARM_UP_MILLIS = 10_000;

  /** The most records that a journal keeps without need. */
  private static final long MOST_RECORDS = 100;

  /** The most checkpoints until journals are short. */
  private static final int GROWTH_ROUNDS = 12;

  private static final int GROWTH_ROUND_MILLIS = 5_000;

  private final Random random;
  private final LongSupplier nanos;
  private final SimulatedTime time;
  private final SimulatedTasks tasks;
  private final SimulatedCluster cluster;
  private final ReplicatedFaults faults;
  private final FaultInjector injector;

  /** For each partition, those that lead it, or believe so. */
  private final List<List<SimulatedLeadership>> leaders = new ArrayList<>();

  /** For each partition, the leader that the present actor knows. */
  private final List<Optional<SimulatedLeadership>> views = new ArrayList<>();

  /** For each partition with several leaders, the one that each actor knows. */
  private final List<Map<Object, SimulatedLeadership>> known = new ArrayList<>();

  /** How many of a thousand faults that the simulation asks for happen. */
  private final int askedPerThousand;

  /** A partition with several leaders. */
  private OptionalInt disputed = OptionalInt.empty();

  /** When the simulation began: all partitions are served then. */
  private final long beganAtNanos;

  private int nearReads;

  ReplicatedProcesses(
      Random random,
      StoreOptions options,
      LongSupplier nanos,
      Transport transport,
      SimulatedFaults userFaults,
      Set<String> without) {
    this.random = random;
    this.nanos = nanos;
    this.time = new SimulatedTime(random);
    this.faults = ReplicatedFaults.draw(random, SimulatedCluster.NAMES).without(without);
    this.askedPerThousand = random.nextInt(3);
    this.cluster =
        new SimulatedCluster(
            random,
            time,
            faults,
            new SimulatedCluster.Surroundings(
                options, transport, userFaults, new ActiveSnapshots(nanos, Long.MAX_VALUE)));
    this.tasks = cluster.tasks();
    this.injector = new FaultInjector(random, faults, cluster, views::get);
    for (int number = 0; number < PARTITIONS; number++) {
      leaders.add(List.of());
      views.add(Optional.empty());
      known.add(new HashMap<>());
    }
    cluster.openAll();
    while (time.now() < WARM_UP_MILLIS * SimulatedTime.MILLI && allOpen().isEmpty()) {
      advanceTo(time.now() + 100 * SimulatedTime.MILLI);
    }
    beganAtNanos = time.now();
    injector.begin();
  }

  SimulatedCluster cluster() {
    return cluster;
  }

  /** The faults of this history. */
  ReplicatedFaults faults() {
    return faults;
  }

  /** How many reads replicas answered that did not lead. */
  int nearReads() {
    return nearReads;
  }

  // Time.

  @Override
  public void proceed() {
    advanceTo(beganAtNanos + nanos.getAsLong());
  }

  private void advanceTo(long untilNanos) {
    time.advanceTo(
        untilNanos,
        () -> {
          tasks.proceed(cluster.isCalm());
          tasks.check();
        });
    findLeaders();
  }

  private void findLeaders() {
    disputed = OptionalInt.empty();
    for (int number = 0; number < PARTITIONS; number++) {
      List<SimulatedLeadership> all = leading(number);
      leaders.set(number, all);
      if (all.size() > 1) {
        disputed = OptionalInt.of(number);
      } else {
        known.get(number).clear();
      }
      views.set(number, newest(all));
    }
  }

  private static Optional<SimulatedLeadership> newest(List<SimulatedLeadership> all) {
    return all.stream().max(Comparator.comparingLong(SimulatedLeadership::epoch));
  }

  private List<SimulatedLeadership> leading(int number) {
    List<SimulatedLeadership> all = new ArrayList<>();
    cluster
        .nodes()
        .filter(node -> !node.isFrozen())
        .forEach(node -> node.leadership(number).ifPresent(all::add));
    return all;
  }

  /** The actor stays with the leader that it knows, or learns of another one. */
  @Override
  public void turnOf(Object actor) {
    chooseLeaders(
        number -> {
          SimulatedLeadership next =
              Optional.ofNullable(known.get(number).get(actor))
                  .filter(ReplicatedProcesses::isReachable)
                  .filter(last -> random.nextInt(100) < faults.stayPercent())
                  .orElseGet(() -> found(leaders.get(number)));
          known.get(number).put(actor, next);
          return next;
        });
  }

  private SimulatedLeadership found(List<SimulatedLeadership> all) {
    return random.nextInt(100) < faults.oldLeaderPercent() ? any(all) : newest(all).orElseThrow();
  }

  private SimulatedLeadership any(List<SimulatedLeadership> all) {
    return all.get(random.nextInt(all.size()));
  }

  @Override
  public void turnOfMessage() {
    chooseLeaders(number -> any(leaders.get(number)));
  }

  /** Chooses the leaders of the partitions with several ones. */
  private void chooseLeaders(IntFunction<SimulatedLeadership> choice) {
    if (disputed.isEmpty() || cluster.isCalm()) {
      return;
    }
    for (int number = 0; number < PARTITIONS; number++) {
      if (leaders.get(number).size() > 1) {
        views.set(number, Optional.of(choice.apply(number)));
      }
    }
  }

  private static boolean isReachable(SimulatedLeadership led) {
    return led.isServing() && !led.node().isFrozen();
  }

  @Override
  public void loop(Runnable loop) {
    tasks.loop(loop);
  }

  @Override
  public void startInLoop(Runnable action) {
    tasks.startInLoop(action);
  }

  @Override
  public void start(Runnable action) {
    tasks.start(action);
  }

  @Override
  public <T> T call(Supplier<T> action, Runnable others) {
    List<T> results = new ArrayList<>();
    tasks.start(() -> results.add(action.get()));
    for (long step = 0; results.isEmpty(); step++) {
      if (step > 100_000) {
        throw new AssertionError("an action does not end");
      }
      advanceTo(time.now() + SimulatedTime.MILLI);
      others.run();
    }
    return results.get(0);
  }

  @Override
  public void pause(Runnable step) {
    tasks.pause();
  }

  // Faults.

  private boolean happens() {
    return !cluster.isCalm() && random.nextInt(1_000) < askedPerThousand;
  }

  @Override
  public void crash(int partition) {
    if (happens()) {
      cluster.crash(processOf(partition));
    }
  }

  @Override
  public void close(int partition) {
    if (happens()) {
      injector.end(processOf(partition));
    }
  }

  @Override
  public void failInTheMiddle(int partition) {
    if (happens()) {
      injector.failJournal(processOf(partition), partition);
      flushGroup(partition);
    }
  }

  @Override
  public void jump(int partition) {
    injector.jumpClock(processOf(partition));
  }

  @Override
  public void failDisk(int partition) {
    injector.failCheckpoints(processOf(partition), partition);
  }

  @Override
  public void failNextRead(int partition) {
    injector.failNextRead(processOf(partition), partition);
  }

  @Override
  public void endFaults() {
    cluster.calm();
  }

  @Override
  public void openAll() {
    cluster.openAll();
  }

  @Override
  public void whenEnded(IntConsumer listener) {
    cluster.whenEnded(listener);
  }

  // What clients use.

  @Override
  public OptionalInt disputed() {
    return disputed;
  }

  @Override
  public boolean mayLackPartitions() {
    return true;
  }

  @Override
  public boolean isAlone() {
    return true;
  }

  @Override
  public LocalDataCentre local() {
    return SimulatedCluster.LOCAL;
  }

  /** A leader that has been deposed does not know what was acknowledged since. */
  @Override
  public VectorClock present(Partition partition) {
    return partition.sharedNow();
  }

  /** All replicas vote, and follow the only leader that there is. */
  @Override
  public boolean isSettled() {
    return leaders.stream().allMatch(all -> all.size() == 1)
        && cluster.nodes().count() == count()
        && cluster
            .nodes()
            .flatMap(ReplicatedNode::replicas)
            .allMatch(replica -> replica.status().isUpToDate());
  }

  @Override
  public VectorClock arrived() {
    return VectorClock.ZERO;
  }

  @Override
  public VectorClock someArrived() {
    return VectorClock.ZERO;
  }

  @Override
  public boolean isOne() {
    return false;
  }

  @Override
  public int count() {
    return SimulatedCluster.NODES;
  }

  @Override
  public ActiveSnapshots active() {
    return cluster.active();
  }

  @Override
  public long machineMillis(int process) {
    return cluster.machine(process).millis();
  }

  @Override
  public boolean isConnected(int from, int to) {
    return cluster.network().isConnectedForOthers(from, to);
  }

  @Override
  public int processOf(int partition) {
    return views.get(partition).map(led -> led.node().index()).orElse(0);
  }

  @Override
  public Optional<HybridClock> clock(int process) {
    return cluster.node(process).map(ReplicatedNode::clock);
  }

  @Override
  public Optional<Partition> get(int number) {
    return view(number).map(SimulatedLeadership::partition);
  }

  private Optional<SimulatedLeadership> view(int number) {
    return views.get(number).filter(ReplicatedProcesses::isReachable);
  }

  @Override
  public boolean isServed(int number, Partition partition) {
    return cluster
        .nodes()
        .flatMap(node -> node.leadership(number).stream())
        .anyMatch(led -> led.partition().equals(partition));
  }

  @Override
  public boolean isRunning(int process) {
    return cluster.node(process).filter(node -> !node.isFrozen()).isPresent();
  }

  @Override
  public <T> Optional<T> near(int number, VectorClock snapshot, Function<VersionSource, T> use) {
    int index = random.nextInt(SimulatedCluster.NODES);
    if (!isRunning(index)) {
      return Optional.empty();
    }
    ReplicatedNode node = cluster.node(index).orElseThrow();
    Optional<PartitionReplica> found = node.replica(number);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    PartitionReplica replica = found.get();
    try {
      replica.near(local().timeIn(snapshot), Duration.ZERO);
      time.at(time.soon(5), () -> node.whenRunning(replica::handleEvents));
      Optional<T> read = replica.read(snapshot, use::apply);
      nearReads += read.isPresent() ? 1 : 0;
      return read;
    } catch (RuntimeException e) {
      expect(e);
      return Optional.empty();
    }
  }

  @Override
  public void expect(RuntimeException thrown) {
    expectRefusal(thrown);
  }

  /**
   * Checks an exception of the engine: partitions that no longer lead refuse what they are asked.
   *
   * @throws RuntimeException the given exception, if it is neither a refusal nor injected
   */
  static void expectRefusal(RuntimeException thrown) {
    boolean isInWords =
        thrown instanceof StablecutException && !(thrown instanceof UnexpectedFailureException);
    if (!isInWords) {
      SimulatedFaults.expect(thrown);
    }
  }

  @Override
  public Executor completions(int process) {
    return cluster.node(process).<Executor>map(ReplicatedNode::completions).orElse(task -> {});
  }

  @Override
  public void complete() {
    cluster.nodes().forEach(running -> running.completions().submitAll());
  }

  @Override
  public void flushGroup(int partition) {
    Optional<SimulatedLeadership> led = view(partition);
    if (tasks.isRunning()) {
      led.ifPresent(SimulatedLeadership::flush);
    } else {
      led.ifPresent(SimulatedLeadership::flushLater);
    }
    if (random.nextInt(3) > 0) {
      complete();
    }
  }

  @Override
  public void maintain(int partition) {
    view(partition).ifPresent(SimulatedLeadership::maintainLater);
  }

  @Override
  public void tick() {
    for (int number = 0; number < PARTITIONS; number++) {
      leading(number).forEach(led -> led.partition().tick());
    }
  }

  // Judges.

  @Override
  public void checkJournals() {
    cluster
        .nodes()
        .flatMap(ReplicatedNode::replicas)
        .flatMap(replica -> replica.status().failure().stream())
        .filter(failure -> failure.contains("until it is restarted"))
        .findFirst()
        .ifPresent(
            failure -> {
              throw new AssertionError(failure);
            });
  }

  @Override
  public Optional<String> growth() {
    if (random.nextInt(3) > 0) {
      return Optional.empty();
    }
    Optional<String> grown = Optional.empty();
    for (int round = 0; round < GROWTH_ROUNDS && (round < 2 || grown.isPresent()); round++) {
      for (int number = 0; number < PARTITIONS; number++) {
        maintain(number);
      }
      advanceTo(time.now() + GROWTH_ROUND_MILLIS * SimulatedTime.MILLI);
      grown = longJournal();
    }
    return grown;
  }

  private Optional<String> longJournal() {
    return cluster
        .nodes()
        .flatMap(ReplicatedNode::replicas)
        .map(PartitionReplica::status)
        .filter(status -> status.next() - status.first() > MOST_RECORDS)
        .map(status -> "the journal grows: " + status)
        .findFirst();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("with " + faults);
    cluster.nodes().forEach(text::append);
    return text + "\n" + tasks;
  }

  @Override
  public void end() {
    cluster.end();
  }
}
