package io.github.stablecut.internal.transaction;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.clock.MachineClock;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.thread.CompletionExecutor;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.transaction.ReplicatedFaults.Kind;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

/**
 * Nodes with replicas of partitions in virtual time: their machines, the runs of their processes,
 * and what they share. Confined to one thread.
 */
final class SimulatedCluster {
  static final List<String> NAMES = List.of("a", "b", "c");
  static final int NODES = NAMES.size();
  static final LocalDataCentre LOCAL = LocalDataCentre.FIRST;

  private static final Duration MAX_CLOCK_JUMP = Duration.ofSeconds(10);

  /** The longest times for which nodes are down. */
  private static final List<Integer> DOWN_MILLIS = List.of(5, 5, 50, 500, 500, 6_000);

  private static final int REOPEN_MILLIS = 500;

  /** So that logs have something to drop. */
  private static final int SEGMENT_BYTES = 4096;

  /** Nothing happens while an action waits by sleeping. */
  private static final Duration NO_WAIT = Duration.ofNanos(1);

  /** What nodes get from the simulation. */
  record Surroundings(
      StoreOptions options,
      SimulatedProcesses.Transport transport,
      SimulatedFaults userFaults,
      ActiveSnapshots active) {}

  private final Random random;
  private final Surroundings surroundings;
  private final SimulatedTime time;
  private final SimulatedTasks tasks;
  private final ReplicatedFaults faults;
  private final SimulatedRegister register;
  private final ReplicaNetwork network;
  private final CrashPoints crashPoints;
  private final List<SimulatedMachine> machines = new ArrayList<>();
  private final List<Optional<ReplicatedNode>> nodes = new ArrayList<>();

  /** For each partition, the leaders of its epochs. */
  private final List<Map<Long, String>> leaders = new ArrayList<>();

  private IntConsumer whenEnded = index -> {};
  private boolean isCalm;
  private long digest;
  private int led;
  private int installed;
  private int midStepCrashes;

  SimulatedCluster(
      Random random, SimulatedTime time, ReplicatedFaults faults, Surroundings surroundings) {
    this.random = random;
    this.time = time;
    this.faults = faults;
    this.surroundings = surroundings;
    this.tasks = new SimulatedTasks(random);
    this.register = new SimulatedRegister(random, time, NAMES);
    this.network = new ReplicaNetwork(random, time, faults, this);
    this.crashPoints = new CrashPoints(faults.message());
    for (int number = 0; number < SimulatedProcesses.PARTITIONS; number++) {
      leaders.add(new HashMap<>());
    }
    for (int index = 0; index < NODES; index++) {
      SimulatedMachine machine =
          new SimulatedMachine(
              random,
              time,
              index,
              NAMES.get(index),
              faults.maxSkewMillis(),
              faults.clockPercents().get(index));
      for (int number = 0; number < SimulatedProcesses.PARTITIONS; number++) {
        machine.disks().put(number, new SimulatedReplicaDisk());
      }
      machines.add(machine);
      nodes.add(Optional.empty());
    }
  }

  SimulatedTime time() {
    return time;
  }

  SimulatedTasks tasks() {
    return tasks;
  }

  SimulatedRegister register() {
    return register;
  }

  ReplicaNetwork network() {
    return network;
  }

  CrashPoints crashPoints() {
    return crashPoints;
  }

  ActiveSnapshots active() {
    return surroundings.active;
  }

  SimulatedMachine machine(int index) {
    return machines.get(index);
  }

  /** A node; empty while it is down. */
  Optional<ReplicatedNode> node(int index) {
    return nodes.get(index);
  }

  /** The nodes that are up. */
  Stream<ReplicatedNode> nodes() {
    return nodes.stream().flatMap(Optional::stream);
  }

  /** The node whose replicas have a name; empty while it is down. */
  Optional<ReplicatedNode> named(String name) {
    return nodes().filter(node -> node.name().equals(name)).findFirst();
  }

  PartitionOptions partitionOptions(int number) {
    PartitionOptions derived = PartitionSettings.of(surroundings.options, LOCAL, number);
    return new PartitionOptions(
        derived.number(),
        derived.local(),
        derived.maxTransactionAge(),
        new PartitionOptions.JournalSettings(
            derived.journal().options().withSegmentBytes(SEGMENT_BYTES), derived.journal().sync()),
        derived.memory(),
        derived.checkpoints(),
        new PartitionOptions.Timeouts(derived.waits().commit(), NO_WAIT),
        derived.sessions());
  }

  /** Notes what replicas do. */
  void trace(Object what) {
    digest = 31 * digest + what.hashCode();
  }

  /** Depends on everything that replicas did. */
  long digest() {
    return digest;
  }

  /** The disks of all replicas. */
  Stream<SimulatedReplicaDisk> disks() {
    return machines.stream().flatMap(machine -> machine.disks().values().stream());
  }

  // What nodes do.

  /** Sends a message of two-phase commit. */
  void send(ReplicatedNode from, int partition, Message.ToPartition message) {
    if (!crashes(from, Kind.CRASH_BEFORE_MESSAGE, message)) {
      surroundings.transport.send(from.index(), partition, message);
      crashes(from, Kind.CRASH_AFTER_MESSAGE, message);
    }
  }

  /** Sends a message between replicas of a partition. */
  void send(ReplicatedNode from, int number, String to, ReplicaMessage message) {
    if (!crashes(from, Kind.CRASH_BEFORE_MESSAGE, message)) {
      network.send(from, number, to, message);
      crashes(from, Kind.CRASH_AFTER_MESSAGE, message);
    }
  }

  @CanIgnoreReturnValue
  private boolean crashes(ReplicatedNode node, Kind when, Object message) {
    boolean isDue = crashPoints.isDue(when, message);
    if (isDue) {
      crashHere(node);
    }
    return isDue;
  }

  /** A node has taken a step after which it may crash: then nothing else that it does counts. */
  void stepTaken(ReplicatedNode node, Kind step) {
    if (crashPoints.isDue(step)) {
      crashHere(node);
    }
  }

  /** A node crashes in the middle of what it does; its clients notice afterwards. */
  private void crashHere(ReplicatedNode node) {
    if (node.isDown()) {
      return;
    }
    trace("crash");
    midStepCrashes++;
    stop(node, !mayLoseUnsynced() || random.nextBoolean());
    if (faults.kinds().contains(Kind.SHAPE) && random.nextBoolean()) {
      network.shape();
    }
    time.at(
        time.now(),
        () -> {
          if (node(node.index()).filter(node::equals).isPresent()) {
            down(node.index());
          }
        });
  }

  /** A replica starts to lead. */
  void leads(int number, SimulatedLeadership leadership) {
    String name = leadership.node().name();
    trace(name);
    String other = leaders.get(number).putIfAbsent(leadership.epoch(), name);
    if (other != null) {
      throw new AssertionError(
          "%s leads partition %d in epoch %d, and so did %s"
              .formatted(name, number, leadership.epoch(), other));
    }
    led++;
    flushLater(leadership);
  }

  private void flushLater(SimulatedLeadership leadership) {
    time.at(
        time.soon(faults.flushMillis()),
        () -> {
          if (leadership.isServing()) {
            if (!leadership.node().isFrozen()) {
              leadership.flushLater();
            }
            flushLater(leadership);
          }
        });
  }

  /** A replica has fetched a checkpoint. */
  void installed() {
    installed++;
  }

  /** A node has ended in order. */
  void ended(ReplicatedNode node) {
    node.crash();
    machine(node.index()).crash(true);
    down(node.index());
  }

  // The runs of nodes.

  /** Notifies a listener of each node that ends. */
  void whenEnded(IntConsumer listener) {
    whenEnded = listener;
  }

  void openAll() {
    for (int index = 0; index < NODES; index++) {
      open(index);
    }
  }

  private void open(int index) {
    if (node(index).isPresent()) {
      return;
    }
    ReplicatedNode opened;
    try {
      opened = newNode(machine(index));
    } catch (RuntimeException e) {
      SimulatedFaults.expect(e);
      time.at(time.soon(REOPEN_MILLIS), () -> open(index));
      return;
    }
    nodes.set(index, Optional.of(opened));
    opened.start();
  }

  private ReplicatedNode newNode(SimulatedMachine machine) {
    HybridClock clock =
        new HybridClock(
            new MachineClock(
                surroundings.userFaults.clock(machine::millis), machine::nanos, MAX_CLOCK_JUMP));
    return new ReplicatedNode(
        this,
        random,
        machine,
        clock,
        new CompletionExecutor(surroundings.userFaults.executor(), new FaultLog()));
  }

  void crash(int index) {
    crash(index, !mayLoseUnsynced() || random.nextBoolean());
  }

  /**
   * Crashes a node, if it is up.
   *
   * @param isKill whether everything written survives
   */
  void crash(int index, boolean isKill) {
    node(index)
        .ifPresent(
            node -> {
              stop(node, isKill);
              down(index);
            });
  }

  private void stop(ReplicatedNode node, boolean isKill) {
    node.crash();
    machine(node.index()).crash(isKill);
  }

  private void down(int index) {
    nodes.set(index, Optional.empty());
    whenEnded.accept(index);
    machine(index).stepClock();
    time.at(time.soon(DOWN_MILLIS.get(random.nextInt(DOWN_MILLIS.size()))), () -> open(index));
  }

  /** All nodes crash at once; some of them can't tell whether they have lost anything. */
  void crashAll() {
    boolean isKill = !mayLoseUnsynced() || random.nextBoolean();
    for (int index = 0; index < NODES; index++) {
      crash(index, isKill);
    }
  }

  /**
   * Whether a crash may lose unsynced data. A replica whose log then looks damaged needs the votes
   * of all others.
   */
  private boolean mayLoseUnsynced() {
    for (int number = 0; number < SimulatedProcesses.PARTITIONS; number++) {
      if (!hasAllVoters(number)) {
        return false;
      }
    }
    return true;
  }

  /** Whether exactly the replicas that there are vote on a partition. */
  private boolean hasAllVoters(int number) {
    Set<String> present = new HashSet<>();
    for (SimulatedMachine machine : machines) {
      if (machine.disks().containsKey(number)) {
        present.add(machine.name());
      }
    }
    return present.equals(Set.copyOf(register.get(number).voters()));
  }

  /** Whether all replicas are voters and known to have everything that they acknowledged. */
  boolean isWhole() {
    return mayLoseUnsynced()
        && disks().allMatch(disk -> disk.shortened() == 0)
        && nodes.stream().allMatch(node -> node.filter(ReplicatedNode::isWell).isPresent());
  }

  // The end.

  /** Ends the faults. */
  void calm() {
    isCalm = true;
    network.calm();
    register.calm();
    crashPoints.calm();
    machines.forEach(SimulatedMachine::calm);
    nodes().forEach(ReplicatedNode::thaw);
  }

  boolean isCalm() {
    return isCalm;
  }

  /** How often a replica started to lead. */
  int leaders() {
    return led;
  }

  /** How many checkpoints replicas have fetched. */
  int installations() {
    return installed;
  }

  /** How often a node crashed in the middle of a step. */
  int midStepCrashes() {
    return midStepCrashes;
  }

  /** Ends everything. */
  void end() {
    nodes().forEach(ReplicatedNode::crash);
    tasks.abandon();
  }
}
