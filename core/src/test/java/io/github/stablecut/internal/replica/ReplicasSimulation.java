package io.github.stablecut.internal.replica;

import io.github.stablecut.journal.segment.LogSpace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * One to five replicas in virtual time. Messages are lost, late, repeated and reordered; links are
 * cut in one or both directions; nodes crash, pause and lose their disks, clocks step, the
 * register's answers are late or lost, and the placement of replicas changes. Confined to one
 * thread.
 */
final class ReplicasSimulation {
  private record ScheduledEvent(long at, long order, Runnable what) {}

  private static final long MILLI = 1_000_000;

  /** The longest time without faults until the replicas are in agreement. */
  private static final long CALM_MILLIS = 120_000;

  private final RandomGenerator random;
  private final Optional<BrokenRule> broken;
  private final ReplicasFaults faults;
  private final List<String> names = new ArrayList<>();

  /** The initial voters. */
  private final List<String> first;

  /** The nodes whose disk was lost for good. */
  private final Set<String> gone = new HashSet<>();

  /** The nodes that are removed once they no longer vote. */
  private final Set<String> leaving = new HashSet<>();

  /** The nodes that are to have replicas. */
  private List<String> placement;

  private int madeNodes;
  private int replacedNodes;
  private final Set<Integer> sizes = new HashSet<>();

  private final Map<String, SimulatedNode> nodes = new HashMap<>();
  private final PriorityQueue<ScheduledEvent> events =
      new PriorityQueue<>(
          Comparator.comparingLong(ScheduledEvent::at).thenComparingLong(ScheduledEvent::order));
  private final Set<String> cut = new HashSet<>();
  private final ReplicasCheck check = new ReplicasCheck();
  private Configuration register;
  private long now;
  private long order;
  private long bodies;
  private int fetches;
  private int handedOver;
  private int transferred;
  private int damaged;
  private boolean isCalm;

  ReplicasSimulation(long seed, int size) {
    this(seed, size, Optional.empty());
  }

  /**
   * @param broken the rule to omit
   */
  ReplicasSimulation(long seed, int size, Optional<BrokenRule> broken) {
    this.random = new SplittableRandom(seed);
    this.broken = broken;
    this.faults = ReplicasFaults.any(random);
    for (int i = 0; i < size; i++) {
      names.add(String.valueOf((char) ('a' + i)));
    }
    this.first = List.copyOf(names);
    this.placement = first;
    this.madeNodes = size;
    this.register = Configuration.first(first);
    names.forEach(name -> nodes.put(name, new SimulatedNode(this, name)));
  }

  ReplicasCheck check() {
    return check;
  }

  RandomGenerator random() {
    return random;
  }

  Optional<BrokenRule> broken() {
    return broken;
  }

  /** Whether faults have ended. */
  boolean isCalm() {
    return isCalm;
  }

  boolean isBroken(BrokenRule rule) {
    return broken.isPresent() && broken.get() == rule;
  }

  List<String> first() {
    return first;
  }

  int lostDisks() {
    return gone.size();
  }

  List<String> placement() {
    return placement;
  }

  /** The number of nodes that others have replaced. */
  int replacedNodes() {
    return replacedNodes;
  }

  /** The configured numbers of replicas so far. */
  Set<Integer> sizes() {
    return sizes;
  }

  long now() {
    return now;
  }

  long nextBody() {
    return ++bodies;
  }

  Configuration register() {
    return register;
  }

  /** Returns a new configuration in the form that a node asked for. */
  Configuration changed(Configuration next) {
    if (!isBroken(BrokenRule.CHANGES_TOGETHER) || next.voters().size() <= first.size()) {
      return next;
    }
    List<String> all = new ArrayList<>(next.voters());
    names.stream().filter(name -> !all.contains(name)).forEach(all::add);
    return new Configuration(next.epoch(), next.leader(), all);
  }

  boolean replace(Configuration next) {
    boolean isNext = next.epoch() == register.epoch() + 1;
    boolean isLate = next.epoch() == register.epoch() && isBroken(BrokenRule.NO_COMPARISON);
    if (!isNext && !isLate) {
      return false;
    }
    register = next;
    return true;
  }

  /** Runs an action after a moment, or never. */
  void later(Runnable what) {
    if (isCalm || random.nextInt(20) > 0) {
      at(random.nextInt(10) == 0 && !isCalm ? 8_000 : 20, what);
    }
  }

  private void at(int maxMillis, Runnable what) {
    at(now + 1 + random.nextInt(maxMillis) * MILLI, what);
  }

  private void at(long time, Runnable what) {
    events.add(new ScheduledEvent(time, order++, what));
  }

  /** Runs an action on a node, once it is not paused. */
  void when(SimulatedNode node, Runnable what) {
    if (node.isPaused()) {
      at(node.pausedUntil(), () -> when(node, what));
    } else {
      what.run();
    }
  }

  void send(String from, String to, ReplicaMessage message) {
    boolean isLost = !isCalm && random.nextInt(100) < faults.lossPercent();
    for (int i = isLost ? random.nextInt(3) : 1; i > 0; i--) {
      boolean isLate = !isCalm && random.nextInt(100) < faults.latePercent();
      at(isLate ? 3_000 : 5, () -> deliver(from, to, message));
    }
  }

  private void deliver(String from, String to, ReplicaMessage message) {
    SimulatedNode receiver = nodes.get(to);
    if (receiver != null && (cut.isEmpty() || !cut.contains(from + to))) {
      when(receiver, () -> receiver.receive(from, message));
    }
  }

  /** A replica continues after a checkpoint. */
  void fetched() {
    fetches++;
  }

  int fetches() {
    return fetches;
  }

  private SimulatedNode node(String name) {
    return Objects.requireNonNull(nodes.get(name));
  }

  private SimulatedNode any() {
    return node(names.get(random.nextInt(names.size())));
  }

  /**
   * Runs for some time with faults, and then without until the replicas have settled; then all of
   * them are equal.
   */
  void run(int seconds) {
    first.forEach(this::tickLater);
    faultLater(now + seconds * 1_000L * MILLI);
    while (!isCalm) {
      next();
    }
    long calm = now;
    long known = check.known();
    while (!isSettled(known) && now < calm + CALM_MILLIS * MILLI) {
      next();
    }
    checkEnd(known);
  }

  private void next() {
    ScheduledEvent event = events.remove();
    now = Math.max(now, event.at);
    event.what.run();
    check.throwStaleRead();
  }

  private void faultLater(long end) {
    at(
        faults.gapMillis(),
        () -> {
          if (now < end) {
            fault(faults.kinds().get(random.nextInt(faults.kinds().size())));
            faultLater(end);
          } else {
            calm();
          }
        });
  }

  private void calm() {
    isCalm = true;
    cut.clear();
    for (SimulatedNode node : nodes.values()) {
      node.wake();
      node.log().setRoom(LogSpace.ENOUGH);
      node.restart();
    }
  }

  private void tickLater(String name) {
    at(
        300,
        () -> {
          if (leaving.contains(name) && !register.voters().contains(name)) {
            leaving.remove(name);
            nodes.remove(name);
            gone.add(name);
          }
          if (gone.contains(name)) {
            return;
          }
          tickLater(name);
          SimulatedNode node = node(name);
          if (!node.isPaused()) {
            live(node);
          }
        });
  }

  private void live(SimulatedNode node) {
    node.tick();
    if (node.isLeading()) {
      for (int i = random.nextInt(9); i > 0; i--) {
        at(300, node::write);
      }
      if (random.nextInt(2) == 0) {
        at(300, node::readLatest);
      }
    }
    if (random.nextInt(10) == 0) {
      node.truncate();
    }
  }

  private void fault(ReplicasFaults.Kind kind) {
    SimulatedNode node = any();
    SimulatedNode leader = leader().orElse(node);
    switch (kind) {
      case CRASH -> crash(node);
      case CRASH_OF_LEADER -> crash(leader);
      case ORDERLY_END -> {
        leader.drain();
        end(leader, 100);
        if (random.nextBoolean()) {
          // Another node ends at the same time.
          node.retire();
          at(2_000, () -> crash(node));
        }
      }
      case CUT_LINK -> cutLink(node.name(), any().name());
      case MUTE -> names.forEach(other -> cut.add(node.name() + other));
      case DEAF -> names.forEach(other -> cut.add(other + node.name()));
      case ISOLATED_LEADER -> isolate(leader.name());
      case HEALED -> cut.clear();
      case PAUSE -> node.pause(random.nextInt(6_000) * MILLI);
      case PAUSE_OF_LEADER -> leader.pause(random.nextInt(6_000) * MILLI);
      case CLOCK_STEP -> node.stepClock(random.nextInt(8_000) * MILLI);
      case FULL_DISK -> fill(node);
      case LOST_DISK -> loseDisk(node);
      case LOST_LEADER -> loseDisk(leader);
      case OTHER_NODE -> replaceNode(node);
      case OTHER_NUMBER -> changeNumber(List.of(1, 3, 5).get(random.nextInt(3)));
      case DAMAGED_TAIL -> damage(node);
      case POWER_CUT -> cutPower();
    }
  }

  /** A disk loses its last synced records, unless others of a majority have lost some, too. */
  private void damage(SimulatedNode node) {
    if (isWhole() && isNoLogShortened() && placement.size() > 1) {
      crash(node);
      node.log().damage(random);
      damaged++;
    }
  }

  /** All crash at once; some of them can't determine whether they have lost anything. */
  private void cutPower() {
    boolean mayShorten = isWhole();
    for (SimulatedNode node : nodes.values()) {
      crash(node);
      if (mayShorten && random.nextBoolean()) {
        node.log().shorten(random);
      }
    }
  }

  private boolean isNoLogShortened() {
    return nodes.values().stream().noneMatch(node -> node.log().isShortened());
  }

  /** The number of disks that have lost their last synced records. */
  int damaged() {
    return damaged;
  }

  private void crash(SimulatedNode node) {
    node.crash();
    at(List.of(5, 500, 6_000).get(random.nextInt(3)), node::restart);
  }

  /** A leader hands over leadership once it has written its records, and ends a moment later. */
  private void end(SimulatedNode node, int patience) {
    if (node.isDrained() && random.nextBoolean()) {
      transferred += node.transferLeadershipTo(any().name()) ? 1 : 0;
    } else if (node.isDrained()) {
      handedOver += node.handOver() ? 1 : 0;
      at(1_000, () -> crash(node));
    } else if (patience == 0) {
      crash(node);
    } else {
      node.write();
      at(20, () -> end(node, patience - 1));
    }
  }

  /** A leader transfers leadership once it has written its records, if it still leads then. */
  void transferLeadershipTo(SimulatedNode node, String to) {
    if (node.isDrained()) {
      transferred += node.transferLeadershipTo(to) ? 1 : 0;
    } else if (node.isDraining() && node.isLeading()) {
      node.write();
      at(20, () -> transferLeadershipTo(node, to));
    }
  }

  /** How often a leader has transferred leadership and ended. */
  int handedOver() {
    return handedOver;
  }

  /** How often a leader has transferred leadership and continued. */
  int transferred() {
    return transferred;
  }

  private void cutLink(String one, String other) {
    cut.add(one + other);
    if (random.nextBoolean()) {
      cut.add(other + one);
    }
  }

  private void fill(SimulatedNode node) {
    node.log().setRoom(random.nextBoolean() ? LogSpace.NONE : LogSpace.LITTLE);
    at(4_000, () -> node.log().setRoom(LogSpace.ENOUGH));
  }

  /** A node restarts with an empty disk, unless others of a majority have lost theirs, too. */
  private void loseDisk(SimulatedNode node) {
    if (isWhole() && isNoLogShortened() && placement.size() > 1) {
      lose(node);
      String name = Configuration.nodeOf(node.name());
      begin(
          isBroken(BrokenRule.FORGETFUL_VOTER)
              ? node.name()
              : Configuration.renewedName(name, random.nextLong()));
    }
  }

  private void lose(SimulatedNode node) {
    String name = node.name();
    node.crash();
    gone.add(name);
    nodes.remove(name);
    names.remove(name);
  }

  /** A replica restarts with an empty log. */
  private void begin(String renewed) {
    at(
        1_500,
        () -> {
          gone.remove(renewed);
          names.add(renewed);
          nodes.put(renewed, new SimulatedNode(this, renewed));
          tickLater(renewed);
        });
  }

  /** The mark in a replica's name is none of these letters. */
  private String newNode() {
    int number = madeNodes++;
    return "z".repeat(number / 26) + (char) ('a' + number % 26);
  }

  /** A node is lost for good, and another one replaces it. */
  private void replaceNode(SimulatedNode node) {
    if (isWhole() && isNoLogShortened() && placement.size() > 1) {
      String lost = Configuration.nodeOf(node.name());
      String other = newNode();
      lose(node);
      replacedNodes++;
      place(placement.stream().map(one -> one.equals(lost) ? other : one).toList());
      begin(Configuration.renewedName(other, random.nextLong()));
    }
  }

  /** Changes the number of replicas. */
  private void changeNumber(int number) {
    if (!isWhole() || !isNoLogShortened()) {
      return;
    }
    sizes.add(number);
    List<String> next = new ArrayList<>(placement);
    while (next.size() < number) {
      String more = newNode();
      next.add(more);
      begin(Configuration.renewedName(more, random.nextLong()));
    }
    while (next.size() > number) {
      String less = next.remove(random.nextInt(next.size()));
      names.stream()
          .filter(name -> Configuration.nodeOf(name).equals(less))
          .findFirst()
          .ifPresent(
              name -> {
                names.remove(name);
                leaving.add(name);
              });
    }
    place(List.copyOf(next));
  }

  /** The nodes hear of the placement one after the other. */
  private void place(List<String> next) {
    placement = next;
    for (SimulatedNode node : nodes.values()) {
      at(2_000, () -> node.place(placement));
    }
  }

  /** Whether the voters are exactly the replicas of the placement. */
  private boolean isWhole() {
    return names.size() == placement.size()
        && leaving.isEmpty()
        && Set.copyOf(register.voters()).equals(Set.copyOf(names));
  }

  private Optional<SimulatedNode> leader() {
    return nodes.values().stream().filter(SimulatedNode::isLeading).findAny();
  }

  /** Isolates a node in both directions for longer than the others wait for a leader. */
  private void isolate(String name) {
    Set<String> links = new HashSet<>();
    names.forEach(other -> links.addAll(List.of(name + other, other + name)));
    cut.addAll(links);
    at(8_000, () -> cut.removeAll(links));
  }

  /** Whether the replicas are in agreement, and clients' writes succeed. */
  private boolean isSettled(long known) {
    return check.known() > known
        && isWhole()
        && leading() == 1
        && nodes.values().stream().allMatch(node -> node.log().lossMark() == 0)
        && nodes.values().stream().allMatch(this::isUpToDate);
  }

  private boolean isUpToDate(SimulatedNode node) {
    return node.committed() >= check.known() - 9;
  }

  private long leading() {
    return nodes.values().stream().filter(SimulatedNode::isLeading).count();
  }

  private void checkEnd(long known) {
    if (!isSettled(known)) {
      throw new AssertionError(
          ("after a calm time %d replicas lead, and %d records were committed since its begin; the"
                  + " register has %s, the nodes %s of %s")
              .formatted(leading(), check.known() - known, register, nodes.values(), placement));
    }
  }
}
