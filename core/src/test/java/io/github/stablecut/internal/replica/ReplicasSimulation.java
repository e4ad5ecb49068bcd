package io.github.stablecut.internal.replica;

import io.github.stablecut.journal.LogSpace;
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
 * One to five copies in virtual time: messages are lost, late, repeated and out of order, links are
 * cut in one direction or both, nodes crash, stand still and lose their disks, clocks step, answers
 * of the register are late or lost, and the nodes that are to have copies change. Confined to one
 * thread.
 */
final class ReplicasSimulation {
  private record Event(long at, long order, Runnable what) {}

  private static final long MILLI = 1_000_000;

  /** So long a quiet history may take until all is well. */
  private static final long CALM_MILLIS = 120_000;

  private final RandomGenerator random;
  private final Optional<BrokenRule> broken;
  private final ReplicasFaults faults;
  private final List<String> names = new ArrayList<>();

  /** The voters of the beginning. */
  private final List<String> first;

  /** Those whose disk was lost for ever. */
  private final Set<String> gone = new HashSet<>();

  /** Those that are removed when they do not vote any more. */
  private final Set<String> leaving = new HashSet<>();

  /** The nodes that are to have copies. */
  private List<String> placement;

  private int madeNodes;
  private int replacedNodes;
  private final Set<Integer> sizes = new HashSet<>();

  private final Map<String, SimulatedNode> nodes = new HashMap<>();
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
  private final Set<String> cut = new HashSet<>();
  private final ReplicasCheck check = new ReplicasCheck();
  private Configuration register;
  private long now;
  private long order;
  private long bodies;
  private int fetches;
  private int handedOver;
  private int givenWay;
  private int damaged;
  private boolean isCalm;

  ReplicasSimulation(long seed, int size) {
    this(seed, size, Optional.empty());
  }

  /**
   * @param broken a rule that is left out
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

  /** Whether nothing fails any more. */
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

  /** How many nodes others have taken the places of. */
  int replacedNodes() {
    return replacedNodes;
  }

  /** The numbers of copies that there were to be. */
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

  /** The layout that a node asks for. */
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

  /** After a moment, or never. */
  void later(Runnable what) {
    if (isCalm || random.nextInt(20) > 0) {
      at(random.nextInt(10) == 0 && !isCalm ? 8_000 : 20, what);
    }
  }

  private void at(int maxMillis, Runnable what) {
    at(now + 1 + random.nextInt(maxMillis) * MILLI, what);
  }

  private void at(long time, Runnable what) {
    events.add(new Event(time, order++, what));
  }

  /** Something happens on a node, once that does not stand still. */
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

  /** A copy goes on behind a checkpoint. */
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

  /** Runs for some time of faults, and without until all is well; then all copies are the same. */
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
    Event event = events.remove();
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

  /** A disk loses what was synced last, unless others of a majority have lost something, too. */
  private void damage(SimulatedNode node) {
    if (isWhole() && nobodyIsShortened() && placement.size() > 1) {
      crash(node);
      node.log().damage(random);
      damaged++;
    }
  }

  /** All crash at once; of some it can't be told whether they have lost something. */
  private void cutPower() {
    boolean mayShorten = isWhole();
    for (SimulatedNode node : nodes.values()) {
      crash(node);
      if (mayShorten && random.nextBoolean()) {
        node.log().shorten(random);
      }
    }
  }

  private boolean nobodyIsShortened() {
    return nodes.values().stream().noneMatch(node -> node.log().isShortened());
  }

  /** How many disks have lost what was synced last. */
  int damaged() {
    return damaged;
  }

  private void crash(SimulatedNode node) {
    node.crash();
    at(List.of(5, 500, 6_000).get(random.nextInt(3)), node::restart);
  }

  /** A leader hands over when it has written what it was given, and ends a moment later. */
  private void end(SimulatedNode node, int patience) {
    if (node.isDrained() && random.nextBoolean()) {
      givenWay += node.giveWay(any().name()) ? 1 : 0;
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

  /** A leader gives way when it has written what it was given, if it still leads then. */
  void giveWay(SimulatedNode node, String to) {
    if (node.isDrained()) {
      givenWay += node.giveWay(to) ? 1 : 0;
    } else if (node.isDraining() && node.isLeading()) {
      node.write();
      at(20, () -> giveWay(node, to));
    }
  }

  /** How often a leader has asked another copy to lead, and ended. */
  int handedOver() {
    return handedOver;
  }

  /** How often a leader has asked another copy to lead, and gone on. */
  int givenWay() {
    return givenWay;
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

  /** A node begins anew with an empty disk, unless others of a majority have lost theirs, too. */
  private void loseDisk(SimulatedNode node) {
    if (isWhole() && nobodyIsShortened() && placement.size() > 1) {
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

  /** A copy begins anew. */
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

  /** The mark of a copy's name is none of these letters. */
  private String newNode() {
    int number = madeNodes++;
    return "z".repeat(number / 26) + (char) ('a' + number % 26);
  }

  /** A node is lost for ever, and another one takes its place. */
  private void replaceNode(SimulatedNode node) {
    if (isWhole() && nobodyIsShortened() && placement.size() > 1) {
      String lost = Configuration.nodeOf(node.name());
      String other = newNode();
      lose(node);
      replacedNodes++;
      place(placement.stream().map(one -> one.equals(lost) ? other : one).toList());
      begin(Configuration.renewedName(other, random.nextLong()));
    }
  }

  /** There are to be more copies, or fewer. */
  private void changeNumber(int number) {
    if (!isWhole() || !nobodyIsShortened()) {
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

  /** The nodes hear of it one after the other. */
  private void place(List<String> next) {
    placement = next;
    for (SimulatedNode node : nodes.values()) {
      at(2_000, () -> node.place(placement));
    }
  }

  /** Whether each node's copy is a voter, and nobody else. */
  private boolean isWhole() {
    return names.size() == placement.size()
        && leaving.isEmpty()
        && Set.copyOf(register.voters()).equals(Set.copyOf(names));
  }

  private Optional<SimulatedNode> leader() {
    return nodes.values().stream().filter(SimulatedNode::isLeading).findAny();
  }

  /** Nobody hears a node for longer than others wait for a leader, and it hears nobody. */
  private void isolate(String name) {
    Set<String> links = new HashSet<>();
    names.forEach(other -> links.addAll(List.of(name + other, other + name)));
    cut.addAll(links);
    at(8_000, () -> cut.removeAll(links));
  }

  /** Whether all is well, and clients' writes go on. */
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
