package io.github.stablecut.cluster.internal.membership;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Nodes that exchange membership messages and gossip in virtual time, with faults in an order that
 * a random seed determines. All have the same seeds. Confined to one thread.
 */
final class SimulatedCluster {
  /** One step of virtual time, in which every node handles a tick. */
  private static final Duration STEP = Duration.ofSeconds(1);

  /** The number of steps within which the nodes must agree after all faults are repaired. */
  private static final int QUIET_STEPS = 250;

  private record Message(long due, String address, long uid, MembershipMessage body, long sender) {}

  final Random random;
  final List<String> seeds;
  final int formWith;
  final List<SimulatedNode> nodes = new ArrayList<>();
  final SimulationRules rules = new SimulationRules(this);

  /** Whether the link between two nodes is cut, by their indexes. */
  private final boolean[][] cut;

  private List<Message> messages = new ArrayList<>();
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
    this.cut = new boolean[count][count];
    this.seeds = chooseSeeds(count);
    this.formWith = random.nextBoolean() ? count : 0;
    for (int i = 0; i < count; i++) {
      List<String> shuffled = new ArrayList<>(seeds);
      Collections.shuffle(shuffled, random);
      nodes.add(new SimulatedNode(this, i, shuffled, random.nextInt(40_000)));
    }
    say("the seeds are " + seeds + ", of " + count);
  }

  /** Chooses the seeds: all nodes, or a random non-empty subset. */
  private List<String> chooseSeeds(int count) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(address("n" + i));
    }
    if (random.nextBoolean()) {
      return all;
    }
    Collections.shuffle(all, random);
    return List.copyOf(all.subList(0, 1 + random.nextInt(count)));
  }

  static String address(String name) {
    return name + ":1";
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
    return !cut[one.index()][other.index()];
  }

  private void link(SimulatedNode one, SimulatedNode other, boolean isCut) {
    if (one != other) {
      cut[one.index()][other.index()] = isCut;
      cut[other.index()][one.index()] = isCut;
      say((isCut ? "cut " : "healed ") + one.name + " " + other.name);
    }
  }

  /** Cuts the nodes into two groups. */
  private void split() {
    List<SimulatedNode> some = nodes.stream().filter(node -> random.nextBoolean()).toList();
    for (SimulatedNode one : nodes) {
      for (SimulatedNode other : nodes) {
        if (some.contains(one) && !some.contains(other)) {
          link(one, other, true);
        }
      }
    }
  }

  private void heal() {
    for (boolean[] row : cut) {
      Arrays.fill(row, false);
    }
    say("all links are healed");
  }

  /** Sends a message to an address; only to the run with this uid unless the uid is 0. */
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
    for (SimulatedNode node : nodes) {
      if (node.address.equals(address)) {
        return node;
      }
    }
    throw new IllegalArgumentException(address + " is not the address of a node");
  }

  /** The node that is running with a uid. */
  Optional<SimulatedNode> running(long uid) {
    for (SimulatedNode node : nodes) {
      if (node.uid() == uid && node.isRunning()) {
        return Optional.of(node);
      }
    }
    return Optional.empty();
  }

  /** Whether all messages over working links arrive, without delay. */
  boolean losesNothing() {
    return loss == 0;
  }

  /** Simulates one step. */
  private void pass() {
    step++;
    List<Message> due = new ArrayList<>();
    List<Message> later = new ArrayList<>();
    messages.forEach(message -> (message.due() <= step ? due : later).add(message));
    messages = later;
    if (loss > 0) {
      Collections.shuffle(due, random);
    }
    due.forEach(this::deliver);
    for (SimulatedNode node : nodes) {
      if (node.isRunning()) {
        node.protocol().gossip();
      }
    }
    nodes.forEach(SimulatedNode::pass);
    rules.checkOwners();
  }

  private void deliver(Message message) {
    SimulatedNode to = at(message.address());
    boolean isLinked =
        running(message.sender()).map(from -> from == to || isLinked(from, to)).orElse(true);
    if (to.isRunning() && isLinked && (message.uid() == 0 || message.uid() == to.uid())) {
      to.receive(message.body(), message.sender());
    }
  }

  private SimulatedNode any() {
    return nodes.get(random.nextInt(nodes.size()));
  }

  /** Injects a random fault, repairs one, or moves a partition. */
  private void trouble() {
    SimulatedNode node = any();
    SimulatedNode other = any();
    switch (random.nextInt(14)) {
      case 0 -> node.crash();
      case 1 -> {
        node.crash();
        node.start();
      }
      case 2 -> {
        if (random.nextInt(3) == 0) {
          node.loseDirectory();
          node.start();
        }
      }
      case 3, 4 -> link(node, other, true);
      case 5 -> link(node, other, false);
      case 6, 7 -> node.moveOne(other);
      case 8 -> node.copyDirectory();
      case 9 -> {
        node.putCopyBack();
        node.start();
      }
      case 10 -> {
        nodes.forEach(SimulatedNode::crash);
        node.putCopyBack();
        nodes.stream().filter(one -> random.nextInt(3) > 0).forEach(SimulatedNode::start);
      }
      case 11 -> {
        if (random.nextInt(3) == 0) {
          split();
        } else {
          heal();
        }
      }
      case 12 -> {
        if (random.nextInt(8) == 0) {
          node.goAway();
        }
      }
      default -> node.start();
    }
  }

  /** Runs a whole history: start, faults, repair, and agreement. */
  void run() {
    loss = random.nextInt(3) == 0 ? 0 : 0.2 * random.nextDouble();
    boolean isApart = random.nextInt(3) == 0;
    if (isApart) {
      split();
    }
    nodes.stream().filter(node -> random.nextInt(4) > 0).forEach(SimulatedNode::start);
    int early = random.nextInt(25);
    for (int i = 0; i < early; i++) {
      pass();
    }
    if (isApart && random.nextBoolean()) {
      heal();
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
    heal();
    int since = 0;
    for (int i = 0; i < QUIET_STEPS && since < 3; i++) {
      nodes.forEach(SimulatedNode::restartIfAllowed);
      pass();
      since = Agreement.problem(nodes, seeds).isEmpty() ? since + 1 : 0;
    }
    Agreement.problem(nodes, seeds)
        .ifPresent(
            what -> {
              throw new AssertionError("after all faults were repaired: " + what);
            });
  }
}
