package io.github.stablecut.internal.transaction;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
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
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.thread.CompletionExecutor;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.transaction.ReplicatedFaults.Kind;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.journal.testing.LossySegments;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

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

  /** The most checkpoints until journals are short. */
  private static final int GROWTH_ROUNDS = 12;

  /** Nothing happens while an action waits by sleeping. */
  private static final Duration NO_WAIT = Duration.ofNanos(1);

  /** The longest times for which nodes are down. */
  private static final List<Integer> DOWN_MILLIS = List.of(5, 5, 50, 500, 500, 6_000);

  /** So that logs have something to drop. */
  private static final int SEGMENT_BYTES = 4096;

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

  private final ReplicatedFaults faults;

  /** How many of a thousand faults that the simulation asks for happen. */
  private final int askedPerThousand;

  private final long[] skewMillis = new long[NAMES.size()];
  private final long[] jumpMillis = new long[NAMES.size()];

  /** After how many more steps a node crashes. */
  private final Map<Kind, Integer> stepsUntilCrash = new EnumMap<>(Kind.class);

  private IntConsumer whenEnded = process -> {};
  private boolean isCalm;

  /** A partition with two leaders. */
  private OptionalInt disputed = OptionalInt.empty();

  private long now = 1;
  private long order;

  /** When the simulation began: all partitions are served then. */
  private long begin;

  private long digest;
  private int led;
  private int installed;
  private int nearReads;
  private int crashPoints;

  ReplicatedProcesses(
      Random random,
      StoreOptions options,
      LongSupplier nanos,
      Transport transport,
      SimulatedFaults userFaults,
      Set<String> without) {
    this.random = random;
    this.options = options;
    this.nanos = nanos;
    this.transport = transport;
    this.userFaults = userFaults;
    this.tasks = new SimulatedTasks(random);
    this.active = new ActiveSnapshots(nanos, Long.MAX_VALUE);
    this.faults = ReplicatedFaults.draw(random, NAMES).without(without);
    this.askedPerThousand = random.nextInt(3);
    for (int number = 0; number < PARTITIONS; number++) {
      register.add(Configuration.first(NAMES));
      views.add(Optional.empty());
      leaders.add(new HashMap<>());
    }
    for (int index = 0; index < NAMES.size(); index++) {
      skewMillis[index] = random.nextInt(faults.maxSkewMillis());
      nodes.add(Optional.empty());
      disks.add(emptyDisks());
    }
    openAll();
    while (now < WARM_UP_MILLIS * MILLI && allOpen().isEmpty()) {
      advanceTo(now + 100 * MILLI);
    }
    begin = now;
    if (!faults.kinds().isEmpty()) {
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
        new PartitionOptions.Timeouts(derived.waits().commit(), NO_WAIT),
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

  /** The faults of this history. */
  ReplicatedFaults faults() {
    return faults;
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
    disputed = OptionalInt.empty();
    for (int number = 0; number < PARTITIONS; number++) {
      List<SimulatedLeadership> all = leading(number);
      if (all.size() > 1) {
        disputed = OptionalInt.of(number);
      }
      boolean isAny = !all.isEmpty() && !isCalm && random.nextInt(100) < faults.oldLeaderPercent();
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
      advanceTo(now + MILLI);
      others.run();
    }
    return results.get(0);
  }

  @Override
  public void pause(Runnable step) {
    tasks.pause();
  }

  // The network between replicas, and the register.

  void send(int process, int partition, Message.ToPartition message) {
    if (crashesBefore(process, message)) {
      return;
    }
    transport.send(process, partition, message);
    crashAfter(process, message);
  }

  private boolean isWatched(Object message) {
    return message.getClass().getSimpleName().equals(faults.message());
  }

  /** Crashes the sender of a message before it is sent, if that is due. */
  private boolean crashesBefore(int index, Object message) {
    return isWatched(message) && crashes(index, Kind.CRASH_BEFORE_MESSAGE);
  }

  private void crashAfter(int index, Object message) {
    if (isWatched(message)) {
      crashes(index, Kind.CRASH_AFTER_MESSAGE);
    }
  }

  /**
   * A node has taken a step after which it may crash.
   *
   * @return whether it has crashed: nothing else that it does has an effect
   */
  @CanIgnoreReturnValue
  boolean crashes(int index, Kind when) {
    Integer left = stepsUntilCrash.get(when);
    if (left == null || isCalm) {
      return false;
    }
    if (left > 0) {
      stepsUntilCrash.put(when, left - 1);
      return false;
    }
    stepsUntilCrash.remove(when);
    nodes.get(index).filter(node -> !node.isDown()).ifPresent(this::crashHere);
    return true;
  }

  /** A node crashes in the middle of what it does; its clients notice afterwards. */
  private void crashHere(ReplicatedNode node) {
    trace("crash");
    crashPoints++;
    int index = node.index();
    stop(node, !mayLoseUnsynced() || random.nextBoolean());
    if (faults.kinds().contains(Kind.SHAPE) && random.nextBoolean()) {
      shape();
    }
    at(
        now,
        () -> {
          if (nodes.get(index).filter(node::equals).isPresent()) {
            down(index);
          }
        });
  }

  void send(ReplicatedNode from, int number, String to, ReplicaMessage message) {
    if (crashesBefore(from.index(), message)) {
      return;
    }
    boolean isLost = !isCalm && random.nextInt(100) < faults.lossPercent();
    for (int copies = isLost ? random.nextInt(3) : 1; copies > 0; copies--) {
      boolean isLate = !isCalm && random.nextInt(100) < faults.latePercent();
      at(delayed(isLate ? 3_000 : 5), () -> deliver(from, number, to, message));
    }
    crashAfter(from.index(), message);
  }

  private long delayed(int maxMillis) {
    return now + 50_000 + (long) random.nextInt(maxMillis * 1_000) * 1_000;
  }

  private void deliver(ReplicatedNode from, int number, String to, ReplicaMessage message) {
    int index = names.indexOf(to);
    if (index < 0 || nodes.get(index).isEmpty() || !areReplicasConnected(from.index(), index)) {
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
    return faults.isPartial() || areReplicasConnected(from, to);
  }

  private boolean areReplicasConnected(int from, int to) {
    return cut.isEmpty() || !cut.contains(ReplicatedFaults.link(from, to));
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
        delayed(faults.flushMillis()),
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
        delayed(faults.gapMillis()) + faults.gapMillis() * MILLI / 2,
        () -> burst(1 + random.nextInt(faults.burst())));
  }

  private void burst(int left) {
    if (isCalm) {
      return;
    }
    fault(faults.kinds().get(random.nextInt(faults.kinds().size())));
    if (left > 1) {
      at(delayed(faults.burstMillis()), () -> burst(left - 1));
    } else {
      faultLater();
    }
  }

  private void fault(Kind kind) {
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
        cut(List.of(ReplicatedFaults.link(index, other)));
        if (random.nextBoolean()) {
          cut(List.of(ReplicatedFaults.link(other, index)));
        }
      }
      case MUTE -> cutOff(index, true, false);
      case DEAF -> cutOff(index, false, true);
      case ISOLATED_LEADER -> cutOff(leader, true, true);
      case LAGGING_THIRD -> lagBehind(leader, number);
      case TWO_FAILOVERS -> failOverTwice(leader, number);
      case SHAPE -> shape();
      case HEALED -> cut.clear();
      case FREEZE -> freeze(index);
      case FREEZE_OF_LEADER -> freeze(leader);
      case TRANSFER ->
          views
              .get(number)
              .filter(SimulatedLeadership::isServing)
              .ifPresent(led -> led.node().leave(number, NAMES.get(index)));
      case JOURNAL_FAULT -> failJournal(random.nextBoolean() ? leader : index, number);
      case VOTE_FAULT -> disks.get(index).get(number).failWrite(random.nextBoolean());
      case CHECKPOINT_FAULT -> failCheckpoints(files(index, number).checkpoints());
      case CLOCK_JUMP -> jumpClock(index);
      case LOST_DISK -> loseDisk(index);
      case DAMAGED_TAIL -> damageTail(index, number);
      case CRASH_WHEN_VOTED -> stepsUntilCrash.put(kind, random.nextInt(3));
      case CRASH_WHEN_WRITTEN, CRASH_WHEN_SYNCED, CRASH_BEFORE_MESSAGE, CRASH_AFTER_MESSAGE ->
          stepsUntilCrash.put(kind, random.nextInt(10));
    }
  }

  private void failJournal(int index, int number) {
    if (isWhole()) {
      files(index, number).journal().failOnce(1 + random.nextInt(4));
    }
  }

  /** Cuts the links of one of the history's shapes, and heals all others. */
  private void shape() {
    cut.clear();
    cut(List.copyOf(faults.shapes().get(random.nextInt(faults.shapes().size()))));
  }

  private LossyDisk files(int index, int number) {
    return disks.get(index).get(number).files();
  }

  private void cutOff(int index, boolean isMute, boolean isDeaf) {
    List<String> links = new ArrayList<>();
    for (int other = 0; other < NAMES.size(); other++) {
      if (other != index && isMute) {
        links.add(ReplicatedFaults.link(index, other));
      }
      if (other != index && isDeaf) {
        links.add(ReplicatedFaults.link(other, index));
      }
    }
    cut(links);
  }

  /** Cuts links for a while. */
  private void cut(List<String> links) {
    cut.addAll(links);
    at(interrupted(), () -> links.forEach(cut::remove));
  }

  /** When a cut or a pause that begins now ends. */
  private long interrupted() {
    return delayed(faults.longerMillis()) + faults.shortestMillis() * MILLI;
  }

  /**
   * A leader can commit only with one other node, whose disk may fail, until the third one returns
   * and the leader is cut off.
   */
  private void lagBehind(int leader, int number) {
    int third = (leader + 1 + random.nextInt(2)) % NAMES.size();
    int second = NAMES.size() - leader - third;
    cutOff(third, true, true);
    int what = random.nextInt(4);
    if (what < 2) {
      failJournal(second, number);
    }
    at(
        delayed(1_000) + 100 * MILLI,
        () -> {
          cut.clear();
          if (what == 2 && !isCalm && ReplicatedFaults.HAS_DAMAGES) {
            damageTail(second, number);
          }
          if (!isCalm) {
            cutOff(leader, true, true);
          }
        });
  }

  private void failOverTwice(int leader, int number) {
    cutOff(leader, true, true);
    at(
        delayed(2_000) + 2_200 * MILLI,
        () ->
            views
                .get(number)
                .map(led -> led.node().index())
                .filter(index -> index != leader && !isCalm)
                .ifPresent(
                    index -> {
                      if (random.nextBoolean()) {
                        crashNode(index);
                      } else {
                        nodes
                            .get(index)
                            .ifPresent(node -> node.leave(number, NAMES.get(3 - leader - index)));
                      }
                      // The third one may lead before the first one returns.
                      cutOff(leader, true, true);
                    }));
  }

  /** The disk of a node that crashes damages what it has synced last, if all others are intact. */
  private void damageTail(int index, int number) {
    if (isWhole()) {
      crashNode(index, true);
      LossySegments journal = files(index, number).journal();
      int last = journal.extent().newest();
      if (last > 0) {
        byte[] contents = journal.contents(last);
        contents[contents.length - 1] ^= 1;
        journal.replace(last, contents);
      }
    }
  }

  private void freeze(int index) {
    long until = interrupted();
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

  /**
   * Whether a crash may lose unsynced data. A replica whose log then looks damaged needs the votes
   * of all others.
   */
  private boolean mayLoseUnsynced() {
    Set<String> present = Set.copyOf(names);
    return register.stream().allMatch(one -> Set.copyOf(one.voters()).equals(present));
  }

  private void crashNode(int index) {
    crashNode(index, !mayLoseUnsynced() || random.nextBoolean());
  }

  private void crashNode(int index, boolean isKill) {
    nodes
        .get(index)
        .ifPresent(
            node -> {
              stop(node, isKill);
              down(index);
            });
  }

  private void stop(ReplicatedNode node, boolean isKill) {
    node.crash();
    double survivors = random.nextInt(3) / 2.0;
    disks
        .get(node.index())
        .replaceAll(disk -> isKill ? disk.afterKill() : disk.afterPowerCut(random, survivors));
  }

  /** A node has ended in order. */
  void ended(ReplicatedNode node) {
    node.crash();
    disks.get(node.index()).replaceAll(SimulatedReplicaDisk::afterKill);
    down(node.index());
  }

  /** All nodes crash at once; some of them can't tell whether they have lost anything. */
  private void crashAll() {
    boolean isKill = !mayLoseUnsynced() || random.nextBoolean();
    for (int index = 0; index < NAMES.size(); index++) {
      crashNode(index, isKill);
    }
  }

  private void down(int index) {
    nodes.set(index, Optional.empty());
    whenEnded.accept(index);
    skewMillis[index] +=
        random.nextInt(2 * faults.maxSkewMillis()) - 3L * faults.maxSkewMillis() / 2;
    at(delayed(DOWN_MILLIS.get(random.nextInt(DOWN_MILLIS.size()))), () -> open(index));
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
    int most = List.of(1_000, 9_000, 1 << 28).get(random.nextInt(3));
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
    return !isCalm && random.nextInt(1_000) < askedPerThousand;
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

  /** How often a node crashed in the middle of a step. */
  int crashPoints() {
    return crashPoints;
  }

  /** How many reads replicas answered that did not lead. */
  int nearReads() {
    return nearReads;
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
      advanceTo(now + 5_000 * MILLI);
      grown = longJournal();
    }
    return grown;
  }

  private Optional<String> longJournal() {
    return nodes.stream()
        .flatMap(Optional::stream)
        .flatMap(node -> IntStream.range(0, PARTITIONS).mapToObj(node::replica))
        .map(PartitionReplica::status)
        .filter(status -> status.next() - status.first() > MOST_RECORDS)
        .map(status -> "the journal grows: " + status)
        .findFirst();
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
    StringBuilder text = new StringBuilder("with " + faults);
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
