package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.internal.recovery.NodePlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Nodes that exchange membership messages and gossip in virtual time, with faults in an order that
 * one number decides. The protocol beneath is a model of Akka's: what members know of each other is
 * a lattice (up, down, removed) that is merged along the links that work. Confined to one thread.
 */
final class SimulatedCluster {
  /** One step of virtual time; every node looks once per step. */
  static final Duration STEP = Duration.ofSeconds(1);

  private static final int SUSPECTED_AFTER = 4;
  private static final int QUIET_STEPS = 170;

  private record Message(long due, String address, long uid, MembershipMessage body, long sender) {}

  /** An opening of a partition that has served: nobody may open it at this epoch or below again. */
  private record Served(long storeId, int partition) {}

  final Random random;
  final List<SimulatedNode> nodes = new ArrayList<>();
  final Set<String> cut = new HashSet<>();
  private final List<Message> messages = new ArrayList<>();
  private final Map<Served, Long> served = new HashMap<>();
  private final List<String> trace = new ArrayList<>();
  private final boolean isTraced;
  private long step;
  private long uids;
  private long stores;
  private double loss;

  SimulatedCluster(long seed, boolean isTraced) {
    this.random = new Random(seed);
    this.isTraced = isTraced;
    int count = 3 + random.nextInt(3);
    // All nodes are seeds: a node that restarts finds no member that is none, if all seeds are
    // away.
    List<String> seeds = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      seeds.add("n" + i + ":1");
    }
    int formWith = random.nextBoolean() ? count : 0;
    for (int i = 0; i < count; i++) {
      nodes.add(new SimulatedNode(this, "n" + i, seeds, formWith, random.nextInt(40_000)));
    }
  }

  long step() {
    return step;
  }

  long nanoTime() {
    return step * STEP.toNanos();
  }

  long nextUid() {
    return ++uids;
  }

  long nextStore() {
    return ++stores;
  }

  void say(String what) {
    if (isTraced) {
      trace.add(step + " " + what);
    }
  }

  List<String> trace() {
    return trace;
  }

  boolean isLinked(SimulatedNode one, SimulatedNode other) {
    return one == other || !cut.contains(one.name + other.name);
  }

  private void link(SimulatedNode one, SimulatedNode other, boolean isCut) {
    for (String pair : List.of(one.name + other.name, other.name + one.name)) {
      boolean unused = isCut ? cut.add(pair) : cut.remove(pair);
    }
    say((isCut ? "cut " : "healed ") + one.name + " " + other.name);
  }

  /** Hands a message to the network; to one run of a node if its uid is not 0. */
  void send(SimulatedNode from, String address, long uid, MembershipMessage body) {
    if (loss > 0 && random.nextDouble() < loss) {
      return;
    }
    int copies = loss > 0 && random.nextDouble() < loss ? 2 : 1;
    for (int i = 0; i < copies; i++) {
      int delay = loss > 0 ? random.nextInt(3) : 0;
      messages.add(new Message(step + delay, address, uid, body, from.uid()));
    }
  }

  SimulatedNode at(String address) {
    return nodes.stream().filter(node -> node.address.equals(address)).findFirst().orElseThrow();
  }

  private Optional<SimulatedNode> byUid(long uid) {
    return nodes.stream().filter(node -> node.isRunning() && node.uid() == uid).findFirst();
  }

  String addressOf(long uid) {
    return byUid(uid).map(node -> node.address).orElse("");
  }

  /** A partition is opened: never twice at one epoch, never below what has served. */
  void opened(String node, NodePlan plan, int partition, long epoch) {
    Served what = new Served(plan.storeId(), partition);
    Long before = served.get(what);
    if (before != null && epoch <= before) {
      throw new AssertionError(
          "%s opens partition %d at epoch %d, but it has served at %d"
              .formatted(node, partition, epoch, before));
    }
  }

  void serves(NodePlan plan, int partition, long epoch) {
    var unused = served.merge(new Served(plan.storeId(), partition), epoch, Math::max);
  }

  /** Lets one step pass. */
  void pass() {
    step++;
    List<Message> due = new ArrayList<>();
    Iterator<Message> all = messages.iterator();
    while (all.hasNext()) {
      Message next = all.next();
      if (next.due() <= step) {
        due.add(next);
        all.remove();
      }
    }
    if (loss > 0) {
      Collections.shuffle(due, random);
    }
    due.forEach(this::deliver);
    for (SimulatedNode node : nodes) {
      node.gossip();
    }
    for (SimulatedNode node : nodes) {
      node.pass();
    }
    oneOwnerEach();
  }

  private void deliver(Message message) {
    SimulatedNode to = at(message.address());
    Optional<SimulatedNode> from = byUid(message.sender());
    boolean isLinked = from.map(node -> isLinked(node, to)).orElse(true);
    if (to.isRunning() && isLinked && (message.uid() == 0 || message.uid() == to.uid())) {
      to.on(new MembershipEvent.Received(message.body(), message.sender()));
    }
  }

  /** At most one running node has a partition of a store open at an epoch. */
  private void oneOwnerEach() {
    Map<String, String> owners = new HashMap<>();
    for (SimulatedNode node : nodes) {
      if (node.isRunning() && node.plan().isPresent()) {
        long store = node.plan().get().storeId();
        node.open.forEach(
            (partition, epoch) -> {
              String other = owners.put(store + "/" + partition + "@" + epoch, node.name);
              if (other != null) {
                throw new AssertionError(
                    "partition %d at epoch %d is open on %s and %s"
                        .formatted(partition, epoch, other, node.name));
              }
            });
      }
    }
  }

  /** Something goes wrong, or is mended, or a partition is moved. */
  void trouble() {
    SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
    SimulatedNode other = nodes.get(random.nextInt(nodes.size()));
    switch (random.nextInt(8)) {
      case 0 -> node.crash();
      case 1 -> {
        node.crash();
        node.start();
      }
      case 2 -> {
        if (random.nextInt(3) == 0) {
          node.crash();
          node.loseDirectory();
          node.start();
        }
      }
      case 3, 4 -> {
        if (node != other) {
          link(node, other, true);
        }
      }
      case 5 -> {
        if (node != other) {
          link(node, other, false);
        }
      }
      case 6 -> node.moveOne(other);
      default -> node.start();
    }
  }

  /** A whole history: begins, has faults, is mended, and has to agree. */
  void run() {
    loss = random.nextInt(3) == 0 ? 0 : 0.2 * random.nextDouble();
    for (SimulatedNode node : nodes) {
      if (random.nextInt(4) > 0) {
        node.start();
      }
    }
    int early = random.nextInt(25);
    for (int i = 0; i < early; i++) {
      pass();
    }
    int faults = random.nextInt(30);
    double rate = 0.05 + 0.5 * random.nextDouble();
    for (int i = 0; i < faults; i++) {
      if (random.nextDouble() < rate) {
        trouble();
      }
      pass();
    }
    loss = 0;
    cut.clear();
    say("all is mended");
    int since = 0;
    for (int i = 0; i < QUIET_STEPS && since < 3; i++) {
      nodes.forEach(SimulatedNode::restartIfAllowed);
      pass();
      since = disagreement().isEmpty() ? since + 1 : 0;
    }
    disagreement()
        .ifPresent(
            what -> {
              throw new AssertionError("after all was mended " + what);
            });
  }

  /** What the running nodes do not agree on. */
  private Optional<String> disagreement() {
    List<SimulatedNode> running = nodes.stream().filter(SimulatedNode::isRunning).toList();
    for (SimulatedNode node : nodes) {
      if (!node.isRunning() && !node.isRefusedForGood()) {
        return Optional.of(node.name + " is not running");
      }
    }
    for (SimulatedNode one : running) {
      for (SimulatedNode other : running) {
        if (one.isServing != other.isServing) {
          return Optional.of("only one of " + one.name + " and " + other.name + " serves");
        } else if (one.isServing && !one.view().equals(other.view())) {
          // Two stores that nobody may merge stay apart, and say so.
          boolean isNoticed = one.isWarned() && other.isWarned();
          if (!isNoticed) {
            return Optional.of(
                "%s sees %s, and %s %s".formatted(one.name, one.view(), other.name, other.view()));
          }
        }
      }
    }
    return running.stream().noneMatch(node -> node.isServing) && !running.isEmpty() && mayServe()
        ? Optional.of("nobody serves")
        : Optional.empty();
  }

  /** Whether enough is there: no node has lost for good what the others wait for. */
  private boolean mayServe() {
    return nodes.stream().noneMatch(SimulatedNode::isRefusedForGood);
  }

  int suspectedAfter() {
    return SUSPECTED_AFTER;
  }
}
