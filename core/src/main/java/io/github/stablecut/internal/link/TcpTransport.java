package io.github.stablecut.internal.link;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.thread.SupervisedThread;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.replication.ReplicationTransport;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Carries messages over TCP: listens at an address, calls the nodes of the other data centres at
 * theirs until there is a connection with each, and calls again when one has ended. A store in one
 * process is one node. Thread-safe.
 *
 * <p>Either side may call; a later connection takes the place of an earlier one. So a data centre
 * that nobody can reach takes part too, if it can reach the others.
 *
 * <p>Which node of another data centre has a partition is learned from what it sends ({@link
 * LearnedRoutes}).
 */
public final class TcpTransport implements ReplicationTransport {
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 5_000;
  private static final long SECOND_CALLER_MILLIS = 1_000;
  private static final long TICK_MILLIS = 50;

  /** How many connections may be open whose other ends have not said yet who they are. */
  private static final int MAX_UNKNOWN = 32;

  private final Sockets sockets;
  private final LinkHost party;
  private final List<Address> seeds;
  private final ServerSocket listening;
  private final FaultLog faults;
  private final Map<Node, Link> links = new ConcurrentHashMap<>();
  private final LearnedRoutes routes = new LearnedRoutes();
  private final Map<Node, String> problems = new ConcurrentHashMap<>();
  private final Map<Node, Attempt> attempts = new ConcurrentHashMap<>();
  private final Set<Thread> busy = ConcurrentHashMap.newKeySet();
  private final Set<SocketStreams> greeting = ConcurrentHashMap.newKeySet();
  private final Map<JoinSender, SocketStreams> joining = new ConcurrentHashMap<>();
  private final UnidentifiedConnections strangers = new UnidentifiedConnections(MAX_UNKNOWN);
  private final SupervisedThread acceptor;
  private final SupervisedThread caller;
  private volatile @Nullable Receiver receiver;
  private volatile boolean closed;

  /**
   * A node of another data centre.
   *
   * @param dataCentre {@link Handshake#ANY} if nothing is known but the address
   * @param address where it is reached, as it says
   */
  private record Node(int dataCentre, String address) {}

  /** When a data centre is called next, and how long after that if it does not answer. */
  private record Attempt(long atNanos, long pauseMillis) {
    boolean isDue(long now) {
      return now - atNanos >= 0;
    }

    Attempt next(long now) {
      return new Attempt(
          now + TimeUnit.MILLISECONDS.toNanos(pauseMillis),
          Math.min(LONGEST_PAUSE_MILLIS, 2 * pauseMillis));
    }
  }

  /**
   * Begins to listen.
   *
   * @param seeds addresses at which some of the others may be, if they have moved
   * @throws IOException if it can't
   */
  public TcpTransport(
      Sockets sockets, Address address, List<Address> seeds, LinkHost party, FaultLog faults)
      throws IOException {
    this.sockets = sockets;
    this.party = party;
    this.seeds = List.copyOf(seeds);
    this.faults = faults;
    this.listening = sockets.listen(address);
    this.acceptor = new SupervisedThread("replication-accept", this::acceptAll, faults);
    this.caller = new SupervisedThread("replication-call", this::callAll, faults);
  }

  /** The port that it listens at. */
  public int port() {
    return listening.getLocalPort();
  }

  @Override
  public void open(Receiver taker) {
    receiver = taker;
    acceptor.start();
    caller.start();
  }

  @Override
  public void send(int dataCentre, Bytes message) {
    // Each of its nodes tells the others what all of them have to know.
    List<Link> all = links(dataCentre);
    if (!all.isEmpty()) {
      all.get(ThreadLocalRandom.current().nextInt(all.size())).send(Link.NO_PARTITION, message);
    }
  }

  @Override
  public void send(int dataCentre, int partition, Bytes message) {
    Optional<Link> known = routes.find(dataCentre, partition, System.nanoTime());
    if (known.isPresent()) {
      known.get().send(partition, message);
    } else {
      links(dataCentre).forEach(link -> link.send(partition, message));
    }
  }

  private List<Link> links(int dataCentre) {
    List<Link> found = new ArrayList<>(1);
    links.forEach(
        (node, link) -> {
          if (node.dataCentre == dataCentre) {
            found.add(link);
          }
        });
    return found;
  }

  /**
   * Why nodes can't be reached.
   *
   * @param dataCentre a number
   */
  public List<String> problems(int dataCentre) {
    return problems(node -> node.dataCentre == dataCentre);
  }

  /** Why nobody is reached at the addresses where some of the others may be. */
  public List<String> problemsOfSeeds() {
    return problems(node -> node.dataCentre == Handshake.ANY);
  }

  private List<String> problems(Predicate<Node> which) {
    List<String> found = new ArrayList<>();
    problems.forEach(
        (node, problem) -> {
          if (which.test(node)) {
            found.add(problem);
          }
        });
    return found;
  }

  /** Whether there is a connection with a node of another data centre. */
  public boolean isConnected(int dataCentre) {
    return links.keySet().stream().anyMatch(node -> node.dataCentre == dataCentre);
  }

  /** Whether there is one with any. */
  public boolean isConnected() {
    return !links.isEmpty();
  }

  private void acceptAll() {
    while (!closed) {
      try {
        Socket socket = listening.accept();
        strangers.add(socket).ifPresent(SocketStreams::close);
        apart(
            "replication-hello",
            () -> accept(socket),
            () -> {
              strangers.remove(socket);
              SocketStreams.close(socket);
            });
      } catch (IOException e) {
        if (!closed) {
          faults.add("the port of replication", e);
          pause(FIRST_PAUSE_MILLIS);
        }
      }
    }
  }

  private void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      // Only close ends the thread, by the flag.
    }
  }

  /**
   * Does something on a thread of its own, which {@link #close} waits for.
   *
   * @param otherwise done if there is no thread for it
   */
  private void apart(String name, Runnable work, Runnable otherwise) {
    Thread thread =
        Threads.daemon(
            name,
            () -> {
              try {
                work.run();
              } catch (RuntimeException | Error e) {
                faults.add("a connection of replication", e);
              } finally {
                busy.remove(Thread.currentThread());
              }
            });
    busy.add(thread);
    try {
      thread.start();
    } catch (Error e) {
      busy.remove(thread);
      otherwise.run();
      throw e;
    }
  }

  private void accept(Socket socket) {
    try (SocketStreams wire = SocketStreams.of(socket)) {
      // Closed unless a link takes it over.
      greeting.add(wire);
      Sockets.prepare(socket);
      Handshake hello = Handshake.read(wire.in());
      strangers.remove(socket);
      if (hello instanceof Handshake.Join) {
        welcomeNew(wire);
      } else if (hello instanceof Handshake.Member member) {
        welcome(member, wire);
      } else if (hello instanceof Handshake.Question) {
        new Handshake.Answer(party.about()).write(wire.out());
      } else if (hello instanceof Handshake.Cut cut) {
        cut(cut, wire);
      }
    } catch (IOException e) {
      // Who has called learns it, and calls again.
    } finally {
      strangers.remove(socket);
      greeting.removeIf(wire -> wire.socket() == socket);
    }
  }

  private void welcomeNew(SocketStreams wire) throws IOException {
    Optional<String> elsewhere = party.joinsElsewhere();
    if (elsewhere.isPresent()) {
      new Handshake.Elsewhere(elsewhere.get()).write(wire.out());
      return;
    }
    wire.waitAtMost(0);
    JoinSender sender = new JoinSender(wire.out(), party.own(), party.address());
    var unused = joining.put(sender, wire);
    try {
      party.join(sender);
    } finally {
      joining.remove(sender);
    }
  }

  private void cut(Handshake.Cut cut, SocketStreams wire) throws IOException {
    JoinSender files = new JoinSender(wire.out(), party.own(), party.address());
    PartitionSnapshotSender sender = new PartitionSnapshotSender(wire, files);
    if (cut.group() != party.group() || cut.store() != party.store()) {
      sender.refuse("this is no node of the same data centre");
      return;
    }
    var unused = joining.put(files, wire);
    try {
      party.cut(cut.partition(), sender);
    } finally {
      joining.remove(files);
    }
  }

  /** A write has no time limit of its own. */
  private void endStalled() {
    long now = System.nanoTime();
    joining.forEach(
        (sender, wire) -> {
          if (sender.isStalled(now)) {
            wire.close();
          }
        });
  }

  private void welcome(Handshake.Member member, SocketStreams wire) throws IOException {
    Optional<String> refusal = refusal(member);
    if (refusal.isPresent()) {
      new Handshake.Refused(refusal.get()).write(wire.out());
      return;
    }
    new Handshake.Welcome(party.own(), party.address()).write(wire.out());
    talk(new Node(member.from(), member.node()), wire);
  }

  private Optional<String> refusal(Handshake.Member member) {
    if (member.group() != party.group()) {
      return Optional.of(
          "data centre %d here is one of group %016x, not %016x: if both have data, export one store, join with an empty directory, and import it there"
              .formatted(party.own(), party.group(), member.group()));
    }
    if (member.to() != party.own() && member.to() != Handshake.ANY) {
      return Optional.of("here is data centre %d, not %d".formatted(party.own(), member.to()));
    }
    // It may have become a member without our having been told: then we are told soon.
    return party.isMember(member.from(), member.store())
        ? Optional.empty()
        : Optional.of(
            "data centre %d here does not know store %016x as data centre %d"
                .formatted(party.own(), member.store(), member.from()));
  }

  /** Goes on with messages, on this thread until the link has ended. */
  private void talk(Node other, SocketStreams wire) throws IOException {
    Receiver taker = receiver;
    if (taker == null || closed) {
      return;
    }
    Link link =
        new Link(
            "" + other.dataCentre,
            wire,
            (from, partition, message) -> {
              routes.learn(other.dataCentre, partition, from, System.nanoTime());
              taker.receive(message);
            },
            ended -> end(other, ended));
    Link before = links.put(other, link);
    if (before != null) {
      before.close();
    }
    problems.remove(other);
    try {
      if (closed) {
        link.close();
      }
      link.start();
      link.join();
    } finally {
      // Also if there was no thread for it.
      link.close();
      end(other, link);
    }
  }

  private void end(Node other, Link link) {
    links.remove(other, link);
    routes.forget(link);
  }

  private void callAll() {
    while (!closed) {
      Map<Integer, List<String>> others = party.others();
      others.forEach(
          (number, addresses) ->
              addresses.forEach(address -> callIfDue(new Node(number, address))));
      if (links.isEmpty()) {
        // All may have other addresses than they had.
        seeds.forEach(seed -> callIfDue(new Node(Handshake.ANY, seed.toString())));
      }
      problems
          .keySet()
          .removeIf(
              node ->
                  node.dataCentre != Handshake.ANY
                      && !others.getOrDefault(node.dataCentre, List.of()).contains(node.address));
      endStalled();
      pause(TICK_MILLIS);
    }
  }

  private void callIfDue(Node other) {
    if (links.containsKey(other)) {
      attempts.remove(other);
      return;
    }
    long now = System.nanoTime();
    Attempt attempt = attempts.computeIfAbsent(other, key -> firstAttempt(other, now));
    if (attempt.isDue(now)) {
      attempts.put(other, attempt.next(now));
      apart("replication-call-" + other.dataCentre, () -> call(other), () -> {});
    }
  }

  /** The lower number calls first, so that two connections do not end each other. */
  private Attempt firstAttempt(Node other, long now) {
    long pause = party.own() < other.dataCentre ? 0 : SECOND_CALLER_MILLIS;
    return new Attempt(now + TimeUnit.MILLISECONDS.toNanos(pause), FIRST_PAUSE_MILLIS);
  }

  private void call(Node other) {
    try (SocketStreams wire = SocketStreams.of(sockets.connect(Address.parse(other.address)))) {
      greeting.add(wire);
      try {
        new Handshake.Member(
                party.group(), party.store(), party.own(), other.dataCentre, party.address())
            .write(wire.out());
        Handshake answer = Handshake.read(wire.in());
        if (answer instanceof Handshake.Welcome welcome && welcome.number() != party.own()) {
          problems.remove(other);
          talk(new Node(welcome.number(), welcome.node()), wire);
        } else if (answer instanceof Handshake.Refused refused) {
          problem(other, "refuses", refused.why());
        }
      } finally {
        greeting.remove(wire);
      }
    } catch (IOException e) {
      problem(other, "can't be reached", String.valueOf(e.getMessage()));
    }
  }

  private void problem(Node other, String what, String why) {
    if (!links.containsKey(other)) {
      String name =
          other.dataCentre < Handshake.ANY ? "data centre " + other.dataCentre : "what is";
      problems.put(other, "%s at %s %s: %s".formatted(name, other.address, what, why));
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      listening.close();
    } catch (IOException e) {
      // It is closed then.
    }
    links.values().forEach(Link::close);
    greeting.forEach(SocketStreams::close);
    acceptor.join();
    caller.join();
    links.values().forEach(Link::close);
    greeting.forEach(SocketStreams::close);
    busy.forEach(Threads::join);
  }
}
