package io.github.stablecut.internal.copies;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;

/**
 * Three or five copies in virtual time: messages are lost, late, repeated and out of order, links
 * are cut in one direction or both, nodes crash, answers of the register are late or lost. Confined
 * to one thread.
 */
final class CopiesSimulation {
  private record Event(long at, long order, Runnable what) {}

  /** Judges what is committed, who leads, and what is read. */
  static final class Check {
    private record Committed(long epoch, String body) {}

    private final List<Committed> history = new ArrayList<>();
    private final Map<Long, String> leaders = new HashMap<>();
    private final Map<String, Long> told = new HashMap<>();
    private long reads;

    /** Thrown later: a completion stage swallows what its listeners throw. */
    private Optional<String> staleRead = Optional.empty();

    /** A copy knows that all records below a number are committed. */
    void committed(String who, SimulatedLog log, long next) {
      long from = Math.max(told.getOrDefault(who, 1L), log.first());
      for (long number = from; number < next; number++) {
        Committed one =
            new Committed(log.epochs().at(number), Arrays.toString(log.get(number).body()));
        if (number - 1 < history.size()) {
          if (!history.get((int) number - 1).equals(one)) {
            throw new AssertionError(
                "record %d of %s is %s, and was committed as %s"
                    .formatted(number, who, one, history.get((int) number - 1)));
          }
        } else {
          history.add(one);
        }
      }
      told.merge(who, next, Math::max);
    }

    void leads(String who, long epoch) {
      String before = leaders.putIfAbsent(epoch, who + " once");
      if (before != null) {
        throw new AssertionError("%s leads epoch %d, and so did %s".formatted(who, epoch, before));
      }
    }

    void latest(String who, long before, long seen) {
      reads++;
      if (seen < before) {
        staleRead = Optional.of("%s has read %d of %d records".formatted(who, seen, before));
      }
    }

    /** The number behind the last record that is known to be committed. */
    long known() {
      return history.size() + 1L;
    }

    int leaders() {
      return leaders.size();
    }

    long reads() {
      return reads;
    }
  }

  private static final long MILLI = 1_000_000;

  private final Random random;
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
  private final Check check = new Check();
  private Layout register;
  private long now;
  private long order;
  private long bodies;
  private int fetches;
  private boolean isCalm;

  CopiesSimulation(long seed, int size) {
    this.random = new Random(seed);
    for (int i = 0; i < size; i++) {
      names.add(String.valueOf((char) ('a' + i)));
    }
    this.first = List.copyOf(names);
    this.placement = first;
    this.madeNodes = size;
    this.register = Layout.first(first);
    names.forEach(name -> nodes.put(name, new SimulatedNode(this, name, random)));
  }

  Check check() {
    return check;
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

  Layout register() {
    return register;
  }

  boolean replace(Layout next) {
    if (next.epoch() != register.epoch() + 1) {
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
    events.add(new Event(now + 1 + random.nextInt(maxMillis) * MILLI, order++, what));
  }

  void send(String from, String to, CopyMessage message) {
    for (int i = isCalm || random.nextInt(20) > 0 ? 1 : random.nextInt(3); i > 0; i--) {
      int latency = isCalm || random.nextInt(50) > 0 ? 5 : 3_000;
      at(
          latency,
          () -> {
            if (!cut.contains(from + to) && nodes.containsKey(to)) {
              node(to).receive(from, message);
            }
          });
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

  /** Runs for some time of faults, and for some without; then all copies must be the same. */
  void run(int seconds) {
    first.forEach(this::tickLater);
    long end = now + seconds * 1_000L * MILLI;
    while (now < end) {
      next();
      if (random.nextInt(400) == 0) {
        fault();
      }
    }
    isCalm = true;
    cut.clear();
    nodes.values().forEach(SimulatedNode::restart);
    long calm = now;
    while (now < calm + 30_000 * MILLI || (!isSettled() && now < calm + 120_000 * MILLI)) {
      next();
    }
    checkEnd();
  }

  private void next() {
    Event event = events.remove();
    now = Math.max(now, event.at);
    event.what.run();
    check.staleRead.ifPresent(
        what -> {
          throw new AssertionError(what);
        });
  }

  private void tickLater(String name) {
    at(
        100,
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
          node.tick();
          for (int i = random.nextInt(5); i > 0; i--) {
            at(100, node::write);
          }
          if (random.nextInt(5) == 0) {
            at(100, node::readLatest);
          }
          if (random.nextInt(20) == 0) {
            at(100, node::truncate);
          }
        });
  }

  private void fault() {
    SimulatedNode node = any();
    switch (random.nextInt(12)) {
      case 10 -> replaceNode(node);
      case 11 -> changeNumber(List.of(1, 3, 5).get(random.nextInt(3)));
      case 8, 9 -> loseDisk(random.nextBoolean() ? node : leader().orElse(node));
      case 0, 1 -> {
        node.crash();
        at(random.nextBoolean() ? 500 : 6_000, node::restart);
      }
      case 2 -> {
        String other = any().name();
        cut.add(node.name() + other);
        if (random.nextBoolean()) {
          cut.add(other + node.name());
        }
      }
      case 3 -> names.forEach(other -> cut.add(other + node.name()));
      case 4, 5 -> isolate(leader().orElse(node).name());
      default -> cut.clear();
    }
  }

  /** A node begins anew with an empty disk, unless others of a majority have lost theirs, too. */
  private void loseDisk(SimulatedNode node) {
    if (isWhole() && placement.size() > 1) {
      lose(node);
      begin(Layout.nodeOf(node.name()));
    }
  }

  private void lose(SimulatedNode node) {
    String name = node.name();
    node.crash();
    gone.add(name);
    nodes.remove(name);
    names.remove(name);
  }

  private void begin(String node) {
    String renewed = Layout.renewed(node, random.nextLong());
    at(
        8_000,
        () -> {
          names.add(renewed);
          nodes.put(renewed, new SimulatedNode(this, renewed, random));
          tickLater(renewed);
        });
  }

  private String newNode() {
    return String.valueOf((char) ('a' + madeNodes++));
  }

  /** A node is lost for ever, and another one takes its place. */
  private void replaceNode(SimulatedNode node) {
    if (isWhole() && placement.size() > 1) {
      String lost = Layout.nodeOf(node.name());
      String other = newNode();
      lose(node);
      replacedNodes++;
      place(placement.stream().map(one -> one.equals(lost) ? other : one).toList());
      begin(other);
    }
  }

  /** There are to be more copies, or fewer. */
  private void changeNumber(int number) {
    if (!isWhole()) {
      return;
    }
    sizes.add(number);
    List<String> next = new ArrayList<>(placement);
    while (next.size() < number) {
      String more = newNode();
      next.add(more);
      begin(more);
    }
    while (next.size() > number) {
      String less = next.remove(random.nextInt(next.size()));
      names.stream()
          .filter(name -> Layout.nodeOf(name).equals(less))
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
      at(4_000, () -> node.place(placement));
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

  private boolean isSettled() {
    return isWhole()
        && leader().isPresent()
        && nodes.values().stream().allMatch(node -> node.committed() >= check.known() - 9);
  }

  private void checkEnd() {
    long leading = nodes.values().stream().filter(SimulatedNode::isLeading).count();
    if (leading != 1) {
      throw new AssertionError(
          "%d copies lead after a calm time; the register has %s, the nodes %s"
              .formatted(leading, register, nodes.values()));
    }
    if (!isWhole()) {
      throw new AssertionError("the voters are %s, and not %s".formatted(register, names));
    }
    for (SimulatedNode node : nodes.values()) {
      if (node.committed() < check.known() - 9) {
        throw new AssertionError(
            "%s knows %d of %d records".formatted(node.name(), node.committed(), check.known()));
      }
    }
  }
}
