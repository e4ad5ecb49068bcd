package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.UnexpectedFailureException;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.clock.MachineClock;
import io.github.stablecut.internal.materializer.VersionSource;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.partition.replicated.PartitionReplica;
import io.github.stablecut.internal.partition.replicated.ReplicaStatus;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.thread.CompletionExecutor;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Nodes of a cluster, each with a replica of every partition, in virtual time. Messages between
 * replicas are lost, late, repeated and reordered; links are cut in one or both directions; nodes
 * crash with the loss of unsynced data, end in order, freeze, and lose their disks for good; clocks
 * differ and jump, disks fail, and the register's answers are late or missing. The kinds and the
 * rate of faults are drawn for each history. Confined to one thread.
 */
final class ReplicatedProcesses implements SimulatedProcesses {
  static final List<String> NAMES = List.of("a", "b", "c");

  private static final long MILLI = 1_000_000;
  private static final Duration MAX_CLOCK_JUMP = Duration.ofSeconds(10);
  private static final LocalDataCentre LOCAL = LocalDataCentre.FIRST;

  /** The longest time until all partitions are served at first. */
  private static final long WARM_UP_MILLIS = 10_000;

  /** The most records that a journal keeps without need. */
  private static final long MOST_RECORDS = 100;

  /** Kinds of messages after which a crash may be interesting. */
  private static final List<String> CRASHING_MESSAGES =
      List.of(
          "",
          "",
          "",
          "",
          "",
          "",
          "Vote",
          "VoteRequest",
          "TimeoutNow",
          "CheckpointListing",
          "Commit",
          "Acknowledge",
          "Query");

  /** So that logs have something to drop. */
  private static final int SEGMENT_BYTES = 4096;

  private enum Fault {
    CRASH,
    CRASH_OF_LEADER,
    POWER_CUT,
    END,
    CUT_LINK,
    MUTE,
    DEAF,
    ISOLATED_LEADER,
    HEALED,
    FREEZE,
    FREEZE_OF_LEADER,
    TRANSFER,
    JOURNAL_FAULT,
    CHECKPOINT_FAULT,
    CLOCK_JUMP,
    LOST_DISK
  }

  private record Event(long at, long order, Runnable action) {}

  private final Random random;
  private final StoreOptions options;
  private final LongSupplier nanos;
  private final Transport transport;
  private final SimulatedFaults userFaults;
  private final SimulatedTasks tasks;
  private final ActiveSnapshots active;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));

  private final List<Optional<ReplicatedNode>> nodes = new ArrayList<>();
  private final List<String> names = new ArrayList<>(NAMES);
  private final List<List<SimulatedReplicaDisk>> disks = new ArrayList<>();
  private final List<Configuration> register = new ArrayList<>();

  /** For each partition, the node that leads according to the clients. */
  private final List<Optional<SimulatedLeadership>> views = new ArrayList<>();

  /** For each partition, the leaders of its epochs. */
  private final List<Map<Long, String>> leaders = new ArrayList<>();

  /** The links that are cut, as the indices of sender and receiver. */
  private final Set<String> cut = new HashSet<>();

  private final List<Fault> kinds;
  private final int gapMillis;
  private final int lossPercent;
  private final int latePercent;

  private final int flushMillis;

  /** Nodes crash after they have sent such a message; of none if there is no such kind. */
  private final String crashingMessage;

  /** How many of a hundred faults that the simulation asks for happen. */
  private final int askedPercent;

  private final int maxSkewMillis;
  private final long[] skewMillis = new long[NAMES.size()];
  private final long[] jumpMillis = new long[NAMES.size()];
  private IntConsumer whenEnded = process -> {};
  private boolean isCalm;
  private long now = 1;
  private long order;

  /** When the simulation began: all partitions are served then. */
  private long begin;

  private long digest;
  private int led;
  private int installed;
  private int nearReads;

  ReplicatedProcesses(
      Random random,
      StoreOptions options,
      LongSupplier nanos,
      Transport transport,
      SimulatedFaults userFaults) {
    this.random = random;
    this.options = options;
    this.nanos = nanos;
    this.transport = transport;
    this.userFaults = userFaults;
    this.tasks = new SimulatedTasks(random);
    this.active = new ActiveSnapshots(nanos, Long.MAX_VALUE);
    this.lossPercent = random.nextInt(3) * random.nextInt(10);
    this.latePercent = random.nextInt(3) * random.nextInt(10);
    this.askedPercent = random.nextInt(3) * 5;
    this.gapMillis = 1_000 << random.nextInt(6);
    this.crashingMessage = CRASHING_MESSAGES.get(random.nextInt(CRASHING_MESSAGES.size()));
    this.flushMillis = 20 << random.nextInt(5);
    this.maxSkewMillis = 1 + random.nextInt(1 << random.nextInt(12));
    this.kinds = Arrays.stream(Fault.values()).filter(one -> random.nextBoolean()).toList();
    for (int number = 0; number < PARTITIONS; number++) {
      register.add(Configuration.first(NAMES));
      views.add(Optional.empty());
      leaders.add(new HashMap<>());
    }
    for (int index = 0; index < NAMES.size(); index++) {
      skewMillis[index] = random.nextInt(maxSkewMillis);
      nodes.add(Optional.empty());
      disks.add(emptyDisks());
    }
    openAll();
    while (now < WARM_UP_MILLIS * MILLI && allOpen().isEmpty()) {
      advanceTo(now + 100 * MILLI);
    }
    begin = now;
    if (!kinds.isEmpty()) {
      faultLater();
    }
  }

  private static List<SimulatedReplicaDisk> emptyDisks() {
    List<SimulatedReplicaDisk> empty = new ArrayList<>();
    for (int number = 0; number < PARTITIONS; number++) {
      empty.add(new SimulatedReplicaDisk());
    }
    return empty;
  }

  PartitionOptions partitionOptions(int number) {
    PartitionOptions derived = PartitionSettings.of(options, LOCAL, number);
    return new PartitionOptions(
        derived.number(),
        derived.local(),
        derived.maxTransactionAge(),
        new PartitionOptions.JournalSettings(
            derived.journal().options().withSegmentBytes(SEGMENT_BYTES), derived.journal().sync()),
        derived.memory(),
        derived.checkpoints(),
        derived.waits(),
        derived.sessions());
  }

  // Time.

  long now() {
    return now;
  }

  void at(long time, Runnable action) {
    events.add(new Event(time, order++, action));
  }

  private void trace(Object what) {
    digest = 31 * digest + what.hashCode();
  }

  /** Depends on everything that replicas did. */
  long digest() {
    return digest;
  }

  /** How often a replica started to lead. */
  int leaders() {
    return led;
  }

  /** How many checkpoints replicas have fetched. */
  int installations() {
    return installed;
  }

  void installed() {
    installed++;
  }

  @Override
  public void proceed() {
    advanceTo(begin + nanos.getAsLong());
  }

  private void advanceTo(long until) {
    while (!events.isEmpty() && events.element().at <= until) {
      Event event = events.remove();
      now = Math.max(now, event.at);
      event.action.run();
      tasks.proceed(isCalm);
      tasks.check();
    }
    now = Math.max(now, until);
    tasks.proceed(isCalm);
    tasks.check();
    choose();
  }

  /** Clients believe that the newest leader leads, or an old one. */
  private void choose() {
    for (int number = 0; number < PARTITIONS; number++) {
      List<SimulatedLeadership> all = leading(number);
      boolean isAny = !all.isEmpty() && !isCalm && random.nextInt(3) == 0;
      views.set(
          number,
          isAny
              ? Optional.of(all.get(random.nextInt(all.size())))
              : all.stream().max(Comparator.comparingLong(SimulatedLeadership::epoch)));
    }
  }

  private List<SimulatedLeadership> leading(int number) {
    return nodes.stream()
        .flatMap(Optional::stream)
        .filter(node -> !node.isFrozen())
        .flatMap(node -> node.leadership(number).stream())
        .toList();
  }

  @Override
  public void start(Runnable action) {
    tasks.start(action);
  }

  @Override
  public <T> T call(Supplier<T> action) {
    List<T> results = new ArrayList<>();
    tasks.start(() -> results.add(action.get()));
    for (long step = 0; results.isEmpty(); step++) {
      if (step > 100_000) {
        throw new AssertionError("an action does not end");
      }
      advanceTo(now + MILLI);
    }
    return results.get(0);
  }

  @Override
  public void pause(Runnable step) {
    tasks.pause();
  }

  // The network between replicas, and the register.

  void send(int process, int partition, Message.ToPartition message) {
    transport.send(process, partition, message);
    crashAfter(process, message);
  }

  /** Crashes the sender of a message of the kind that this history watches, now and then. */
  private void crashAfter(int index, Object message) {
    boolean isWatched = message.getClass().getSimpleName().equals(crashingMessage);
    if (isWatched && !isCalm && random.nextInt(6) == 0) {
      at(now, () -> crashNode(index));
    }
  }

  void send(ReplicatedNode from, int number, String to, ReplicaMessage message) {
    boolean isLost = !isCalm && random.nextInt(100) < lossPercent;
    for (int copies = isLost ? random.nextInt(3) : 1; copies > 0; copies--) {
      boolean isLate = !isCalm && random.nextInt(100) < latePercent;
      at(delayed(isLate ? 3_000 : 5), () -> deliver(from, number, to, message));
    }
    crashAfter(from.index(), message);
  }

  private long delayed(int maxMillis) {
    return now + 50_000 + (long) random.nextInt(maxMillis * 1_000) * 1_000;
  }

  private void deliver(ReplicatedNode from, int number, String to, ReplicaMessage message) {
    int index = names.indexOf(to);
    if (index < 0 || nodes.get(index).isEmpty() || !isConnected(from.index(), index)) {
      return;
    }
    ReplicatedNode receiver = nodes.get(index).get();
    receiver.whenRunning(
        () -> {
          trace(now);
          trace(message.getClass().getSimpleName());
          receiver.receive(number, from.name(), message);
        });
  }

  @Override
  public boolean isConnected(int from, int to) {
    return cut.isEmpty() || !cut.contains(link(from, to));
  }

  private static String link(int from, int to) {
    return from + ">" + to;
  }

  Configuration configuration(int number) {
    return register.get(number);
  }

  boolean replace(int number, Configuration next) {
    boolean hasWon = next.epoch() == register.get(number).epoch() + 1;
    if (hasWon) {
      register.set(number, next);
    }
    return hasWon;
  }

  /**
   * Asks the register, which answers later, or never.
   *
   * @param question asks, and returns what answers
   * @param handle runs after the answer
   */
  void askRegister(
      ReplicatedNode from, Supplier<Runnable> question, Runnable noAnswer, Runnable handle) {
    boolean isAsked = isCalm || random.nextInt(20) > 0;
    boolean isAnswered = isAsked && (isCalm || random.nextInt(20) > 0);
    int delay = !isCalm && random.nextInt(10) == 0 ? 4_000 : 20;
    if (isAsked) {
      at(
          delayed(delay),
          () -> {
            Runnable answer = question.get();
            if (isAnswered) {
              at(delayed(delay), () -> from.whenRunning(() -> answered(answer, handle)));
            }
          });
    }
    if (!isAnswered) {
      at(now + 3_000 * MILLI, () -> from.whenRunning(() -> answered(noAnswer, handle)));
    }
  }

  private static void answered(Runnable answer, Runnable handle) {
    answer.run();
    handle.run();
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
    at(
        delayed(flushMillis),
        () -> {
          if (leadership.isServing()) {
            if (!leadership.node().isFrozen()) {
              leadership.flushLater();
            }
            flushLater(leadership);
          }
        });
  }

  // Faults.

  private void faultLater() {
    at(
        delayed(gapMillis),
        () -> {
          if (!isCalm) {
            fault(kinds.get(random.nextInt(kinds.size())));
            faultLater();
          }
        });
  }

  private void fault(Fault kind) {
    trace(kind.name());
    int index = random.nextInt(NAMES.size());
    int number = random.nextInt(PARTITIONS);
    int leader = views.get(number).map(led -> led.node().index()).orElse(index);
    switch (kind) {
      case CRASH -> crashNode(index);
      case CRASH_OF_LEADER -> crashNode(leader);
      case POWER_CUT -> crashAll();
      case END -> nodes.get(leader).filter(node -> !node.isFrozen()).ifPresent(ReplicatedNode::end);
      case CUT_LINK -> {
        int other = random.nextInt(NAMES.size());
        cut(List.of(link(index, other)));
        if (random.nextBoolean()) {
          cut(List.of(link(other, index)));
        }
      }
      case MUTE -> cutOff(index, true, false);
      case DEAF -> cutOff(index, false, true);
      case ISOLATED_LEADER -> cutOff(leader, true, true);
      case HEALED -> cut.clear();
      case FREEZE -> freeze(index);
      case FREEZE_OF_LEADER -> freeze(leader);
      case TRANSFER ->
          views
              .get(number)
              .filter(SimulatedLeadership::isServing)
              .ifPresent(led -> led.node().leave(number, NAMES.get(index)));
      case JOURNAL_FAULT -> failJournal(leader, number);
      case CHECKPOINT_FAULT -> failCheckpoints(files(index, number).checkpoints());
      case CLOCK_JUMP -> jumpClock(index);
      case LOST_DISK -> loseDisk(index);
    }
  }

  private void failJournal(int index, int number) {
    if (isWhole()) {
      files(index, number).journal().failOnce(1 + random.nextInt(4));
    }
  }

  private LossyDisk files(int index, int number) {
    return disks.get(index).get(number).files();
  }

  private void cutOff(int index, boolean isMute, boolean isDeaf) {
    List<String> links = new ArrayList<>();
    for (int other = 0; other < NAMES.size(); other++) {
      if (other != index && isMute) {
        links.add(link(index, other));
      }
      if (other != index && isDeaf) {
        links.add(link(other, index));
      }
    }
    cut(links);
  }

  /** Cuts links for a while. */
  private void cut(List<String> links) {
    cut.addAll(links);
    at(delayed(10_000), () -> links.forEach(cut::remove));
  }

  private void freeze(int index) {
    long until = delayed(6_000);
    nodes.get(index).ifPresent(node -> node.freeze(until));
  }

  /** A node loses its disks, unless others of a majority may have lost something, too. */
  private void loseDisk(int index) {
    if (isWhole()) {
      crashNode(index);
      disks.set(index, emptyDisks());
      names.set(index, Configuration.renewedName(NAMES.get(index), random.nextLong()));
      disks.forEach(all -> all.forEach(disk -> disk.files().journal().failOnce(0)));
    }
  }

  /** Whether all replicas are voters and known to have everything that they acknowledged. */
  private boolean isWhole() {
    Set<String> present = Set.copyOf(names);
    return register.stream().allMatch(one -> Set.copyOf(one.voters()).equals(present))
        && disks.stream().flatMap(List::stream).allMatch(disk -> disk.shortened() == 0)
        && nodes.stream().allMatch(node -> node.filter(ReplicatedNode::isWell).isPresent());
  }

  private void crashNode(int index) {
    crashNode(index, !isWhole() || random.nextBoolean());
  }

  private void crashNode(int index, boolean isKill) {
    nodes
        .get(index)
        .ifPresent(
            node -> {
              node.crash();
              double survivors = random.nextDouble();
              disks
                  .get(index)
                  .replaceAll(
                      disk -> isKill ? disk.afterKill() : disk.afterPowerCut(random, survivors));
              down(index);
            });
  }

  /** A node has ended in order. */
  void ended(ReplicatedNode node) {
    node.crash();
    disks.get(node.index()).replaceAll(SimulatedReplicaDisk::afterKill);
    down(node.index());
  }

  /** All nodes crash at once; some of them can't tell whether they have lost anything. */
  private void crashAll() {
    boolean isKill = !isWhole() || random.nextBoolean();
    for (int index = 0; index < NAMES.size(); index++) {
      crashNode(index, isKill);
    }
  }

  private void down(int index) {
    nodes.set(index, Optional.empty());
    whenEnded.accept(index);
    skewMillis[index] += random.nextInt(2 * maxSkewMillis) - 3L * maxSkewMillis / 2;
    at(delayed(List.of(5, 500, 6_000).get(random.nextInt(3))), () -> open(index));
  }

  private void open(int index) {
    if (nodes.get(index).isPresent()) {
      return;
    }
    try {
      nodes.set(index, Optional.of(newNode(index)));
    } catch (RuntimeException e) {
      SimulatedFaults.expect(e);
      at(delayed(500), () -> open(index));
      return;
    }
    nodes.get(index).orElseThrow().start();
  }

  private ReplicatedNode newNode(int index) {
    HybridClock clock =
        new HybridClock(
            new MachineClock(
                userFaults.clock(() -> machineMillis(index)), this::now, MAX_CLOCK_JUMP));
    return new ReplicatedNode(
        this,
        random,
        tasks,
        index,
        names.get(index),
        clock,
        new CompletionExecutor(userFaults.executor(), new FaultLog()),
        disks.get(index));
  }

  private void jumpClock(int index) {
    int most = random.nextBoolean() ? 1_000 : 1 << 28;
    jumpMillis[index] = jumpMillis[index] == 0 ? random.nextInt(most) : 0;
  }

  private void failCheckpoints(LossyDirectory checkpoints) {
    if (random.nextBoolean()) {
      checkpoints.failReadOnce(1 + random.nextInt(3));
    } else {
      checkpoints.failAt(checkpoints.operations() + 1 + random.nextInt(12));
    }
  }

  private boolean happens() {
    return !isCalm && random.nextInt(100) < askedPercent;
  }

  @Override
  public void crash(int partition) {
    if (happens()) {
      crashNode(processOf(partition));
    }
  }

  @Override
  public void close(int partition) {
    if (happens()) {
      nodes
          .get(processOf(partition))
          .filter(node -> !node.isFrozen())
          .ifPresent(ReplicatedNode::end);
    }
  }

  @Override
  public void failInTheMiddle(int partition) {
    if (happens()) {
      failJournal(processOf(partition), partition);
      flushGroup(partition);
    }
  }

  @Override
  public void jump(int partition) {
    jumpClock(processOf(partition));
  }

  @Override
  public void failDisk(int partition) {
    failCheckpoints(files(processOf(partition), partition).checkpoints());
  }

  @Override
  public void failNextRead(int partition) {
    files(processOf(partition), partition).checkpoints().failReadOnce(1);
  }

  @Override
  public void endFaults() {
    isCalm = true;
    cut.clear();
    Arrays.fill(jumpMillis, 0);
    nodes.forEach(node -> node.ifPresent(ReplicatedNode::thaw));
    for (List<SimulatedReplicaDisk> all : disks) {
      for (SimulatedReplicaDisk one : all) {
        one.files().journal().failOnce(0);
        one.files().checkpoints().failAt(0);
        one.files().checkpoints().failReadOnce(0);
      }
    }
  }

  // What clients use.

  @Override
  public boolean isAlone() {
    return true;
  }

  @Override
  public LocalDataCentre local() {
    return LOCAL;
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
  public void whenEnded(IntConsumer listener) {
    whenEnded = listener;
  }

  @Override
  public boolean isOne() {
    return false;
  }

  @Override
  public int count() {
    return NAMES.size();
  }

  @Override
  public ActiveSnapshots active() {
    return active;
  }

  @Override
  public long machineMillis(int process) {
    return 1_800_000_000_000L + now / MILLI + skewMillis[process] + jumpMillis[process];
  }

  @Override
  public int processOf(int partition) {
    return views.get(partition).map(led -> led.node().index()).orElse(0);
  }

  @Override
  public Optional<HybridClock> clock(int process) {
    return nodes.get(process).map(ReplicatedNode::clock);
  }

  @Override
  public Optional<Partition> get(int number) {
    return view(number).map(SimulatedLeadership::partition);
  }

  private Optional<SimulatedLeadership> view(int number) {
    return views.get(number).filter(led -> led.isServing() && !led.node().isFrozen());
  }

  @Override
  public boolean isServed(int number, Partition partition) {
    return nodes.stream()
        .flatMap(Optional::stream)
        .flatMap(node -> node.leadership(number).stream())
        .anyMatch(led -> led.partition().equals(partition));
  }

  @Override
  public boolean isRunning(int process) {
    return nodes.get(process).filter(node -> !node.isFrozen()).isPresent();
  }

  @Override
  public <T> Optional<T> near(int number, VectorClock snapshot, Function<VersionSource, T> use) {
    int index = random.nextInt(NAMES.size());
    if (!isRunning(index)) {
      return Optional.empty();
    }
    ReplicatedNode node = nodes.get(index).orElseThrow();
    PartitionReplica replica = node.replica(number);
    try {
      replica.near(LOCAL.timeIn(snapshot), Duration.ZERO);
      at(delayed(5), () -> node.whenRunning(replica::handleEvents));
      Optional<T> read = replica.read(snapshot, use::apply);
      nearReads += read.isPresent() ? 1 : 0;
      return read;
    } catch (RuntimeException e) {
      expect(e);
      return Optional.empty();
    }
  }

  /** How many reads replicas answered that did not lead. */
  int nearReads() {
    return nearReads;
  }

  @Override
  public Optional<String> growth() {
    for (int round = 0; round < 3; round++) {
      for (int number = 0; number < PARTITIONS; number++) {
        maintain(number);
      }
      advanceTo(now + 5_000 * MILLI);
    }
    for (ReplicatedNode node : nodes.stream().flatMap(Optional::stream).toList()) {
      for (int number = 0; number < PARTITIONS; number++) {
        ReplicaStatus status = node.replica(number).status();
        if (status.next() - status.first() > MOST_RECORDS) {
          return Optional.of("the journal grows: " + status);
        }
      }
    }
    return Optional.empty();
  }

  /** Partitions that no longer lead refuse what they are asked. */
  @Override
  public void expect(RuntimeException thrown) {
    boolean isInWords =
        thrown instanceof StablecutException && !(thrown instanceof UnexpectedFailureException);
    if (!isInWords) {
      SimulatedFaults.expect(thrown);
    }
  }

  @Override
  public void openAll() {
    for (int index = 0; index < NAMES.size(); index++) {
      open(index);
    }
  }

  @Override
  public Executor completions(int process) {
    return nodes.get(process).<Executor>map(ReplicatedNode::completions).orElse(task -> {});
  }

  @Override
  public void complete() {
    nodes.forEach(node -> node.ifPresent(running -> running.completions().submitAll()));
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
  public void checkJournals() {
    for (Optional<ReplicatedNode> node : nodes) {
      for (int number = 0; number < PARTITIONS; number++) {
        Optional<String> failure =
            node.isPresent() ? node.get().replica(number).status().failure() : Optional.empty();
        if (failure.isPresent() && failure.get().contains("until it is restarted")) {
          throw new AssertionError(failure.get());
        }
      }
    }
  }

  @Override
  public void tick() {
    for (int number = 0; number < PARTITIONS; number++) {
      leading(number).forEach(led -> led.partition().tick());
    }
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("with faults " + kinds);
    nodes.forEach(
        node -> text.append(node.map(ReplicatedNode::toString).orElse("\na node is down")));
    return text + "\n" + tasks;
  }

  @Override
  public void end() {
    nodes.forEach(node -> node.ifPresent(ReplicatedNode::crash));
    tasks.abandon();
  }
}
