package io.github.stablecut.internal.link;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.IoReason;
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
 * Transports messages over TCP: listens at an address, connects to the nodes of the other data
 * centres, and reconnects when a connection ends. A store in one process is one node. Thread-safe.
 *
 * <p>Either side may connect; a later connection replaces an earlier one. So a data centre that
 * others can't reach takes part as long as it can reach them.
 *
 * <p>The transport learns which node of another data centre owns a partition from the messages it
 * receives ({@link LearnedRoutes}).
 */
public final class TcpTransport implements ReplicationTransport {
  private static final long MIN_PAUSE_MILLIS = 100;
  private static final long MAX_PAUSE_MILLIS = 5_000;
  private static final long HIGHER_NUMBER_DELAY_MILLIS = 1_000;
  private static final long TICK_MILLIS = 50;

  /** The maximum number of connections before the handshake. */
  private static final int MAX_UNIDENTIFIED = 32;

  private final Sockets sockets;
  private final LinkHost host;
  private final List<Address> seeds;
  private final ServerSocket listening;
  private final FaultLog faults;
  private final Map<Node, Link> links = new ConcurrentHashMap<>();
  private final LearnedRoutes routes = new LearnedRoutes();
  private final Map<Node, String> problems = new ConcurrentHashMap<>();
  private final Map<Node, Attempt> attempts = new ConcurrentHashMap<>();
  private final Set<Thread> workers = ConcurrentHashMap.newKeySet();
  private final Set<SocketStreams> handshaking = ConcurrentHashMap.newKeySet();
  private final Map<JoinSender, SocketStreams> joining = new ConcurrentHashMap<>();
  private final UnidentifiedConnections unidentified =
      new UnidentifiedConnections(MAX_UNIDENTIFIED);
  private final SupervisedThread acceptor;
  private final SupervisedThread caller;
  private volatile @Nullable Receiver receiver;
  private volatile boolean closed;

  /**
   * A node of another data centre.
   *
   * @param dataCentre {@link Handshake#ANY} if only the address is known
   * @param address the address that the node announces
   */
  private record Node(int dataCentre, String address) {}

  /** The time of the next connection attempt, and the pause after that if it fails. */
  private record Attempt(long atNanos, long pauseMillis) {
    boolean isDue(long nowNanos) {
      return nowNanos - atNanos >= 0;
    }

    Attempt next(long nowNanos) {
      return new Attempt(
          nowNanos + TimeUnit.MILLISECONDS.toNanos(pauseMillis),
          Math.min(MAX_PAUSE_MILLIS, 2 * pauseMillis));
    }
  }

  /**
   * Starts to listen.
   *
   * @param seeds addresses of other data centres, tried while there is no connection
   * @throws IOException if the address can't be used
   */
  public TcpTransport(
      Sockets sockets, Address address, List<Address> seeds, LinkHost host, FaultLog faults)
      throws IOException {
    this.sockets = sockets;
    this.host = host;
    this.seeds = List.copyOf(seeds);
    this.faults = faults;
    this.listening = sockets.listen(address);
    this.acceptor = new SupervisedThread("replication-accept", this::acceptAll, faults);
    this.caller = new SupervisedThread("replication-call", this::callAll, faults);
  }

  /** The port that this transport listens at. */
  public int port() {
    return listening.getLocalPort();
  }

  @Override
  public void open(Receiver newReceiver) {
    receiver = newReceiver;
    acceptor.start();
    caller.start();
  }

  @Override
  public void send(int dataCentre, Bytes message) {
    // A node forwards messages that concern its whole data centre to its other nodes.
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

  /** Describes why nodes of a data centre can't be reached. */
  public List<String> problems(int dataCentre) {
    return problems(node -> node.dataCentre == dataCentre);
  }

  /** Describes why the seed addresses can't be reached. */
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

  /** Whether there is a connection with a node of a data centre. */
  public boolean isConnected(int dataCentre) {
    return links.keySet().stream().anyMatch(node -> node.dataCentre == dataCentre);
  }

  /** Whether there is a connection with any data centre. */
  public boolean isConnected() {
    return !links.isEmpty();
  }

  private void acceptAll() {
    while (!closed) {
      try {
        Socket socket = listening.accept();
        unidentified.add(socket).ifPresent(SocketStreams::close);
        runApart(
            "replication-hello",
            () -> accept(socket),
            () -> {
              unidentified.remove(socket);
              SocketStreams.close(socket);
            });
      } catch (IOException e) {
        if (!closed) {
          faults.add("the port of replication", e);
          pause(MIN_PAUSE_MILLIS);
        }
      }
    }
  }

  private void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      // Only close ends this thread, through the flag.
    }
  }

  /**
   * Runs work on a separate thread, which {@link #close} waits for.
   *
   * @param otherwise run if the thread can't be started
   */
  private void runApart(String name, Runnable work, Runnable otherwise) {
    Thread thread =
        Threads.daemon(
            name,
            () -> {
              try {
                work.run();
              } catch (RuntimeException | Error e) {
                faults.add("a connection of replication", e);
              } finally {
                workers.remove(Thread.currentThread());
              }
            });
    workers.add(thread);
    try {
      thread.start();
    } catch (Error e) {
      workers.remove(thread);
      otherwise.run();
      throw e;
    }
  }

  private void accept(Socket socket) {
    try (SocketStreams connection = SocketStreams.of(socket)) {
      // Closed by try, after the link has ended if there is one.
      handshaking.add(connection);
      Sockets.prepare(socket);
      Handshake hello = hello(connection);
      unidentified.remove(socket);
      if (hello instanceof Handshake.Join) {
        welcomeNew(connection);
      } else if (hello instanceof Handshake.Member member) {
        welcome(member, connection);
      } else if (hello instanceof Handshake.Question) {
        new Handshake.Answer(host.about()).write(connection.out());
      } else if (hello instanceof Handshake.Cut cut) {
        cut(cut, connection);
      }
    } catch (IOException e) {
      // The caller notices the closed connection and retries.
    } finally {
      unidentified.remove(socket);
      handshaking.removeIf(connection -> connection.socket() == socket);
    }
  }

  /** Reads the first message. A program of another version gets the reason for its refusal. */
  private static Handshake hello(SocketStreams connection) throws IOException {
    try {
      return Handshake.read(connection.in());
    } catch (Handshake.NotUnderstoodException e) {
      new Handshake.Refused(String.valueOf(e.getMessage())).write(connection.out());
      throw e;
    }
  }

  private void welcomeNew(SocketStreams connection) throws IOException {
    Optional<String> elsewhere = host.joinsElsewhere();
    if (elsewhere.isPresent()) {
      new Handshake.Redirect(elsewhere.get()).write(connection.out());
      return;
    }
    connection.setReadTimeout(0);
    JoinSender sender = new JoinSender(connection.out(), host.own(), host.address());
    joining.put(sender, connection);
    try {
      host.join(sender);
    } finally {
      joining.remove(sender);
    }
  }

  private void cut(Handshake.Cut cut, SocketStreams connection) throws IOException {
    JoinSender files = new JoinSender(connection.out(), host.own(), host.address());
    PartitionSnapshotSender sender = new PartitionSnapshotSender(connection, files);
    if (cut.group() != host.group() || cut.store() != host.store()) {
      sender.refuse("this node belongs to another data centre");
      return;
    }
    joining.put(files, connection);
    try {
      host.cut(cut.partition(), sender);
    } finally {
      joining.remove(files);
    }
  }

  /** Closes stalled transfers, because socket writes have no timeout. */
  private void endStalled() {
    long nowNanos = System.nanoTime();
    joining.forEach(
        (sender, connection) -> {
          if (sender.isStalled(nowNanos)) {
            connection.close();
          }
        });
  }

  private void welcome(Handshake.Member member, SocketStreams connection) throws IOException {
    Optional<String> refusal = refusal(member);
    if (refusal.isPresent()) {
      new Handshake.Refused(refusal.get()).write(connection.out());
      return;
    }
    new Handshake.Welcome(host.own(), host.address()).write(connection.out());
    runLink(new Node(member.from(), member.node()), connection);
  }

  private Optional<String> refusal(Handshake.Member member) {
    if (member.group() != host.group()) {
      return Optional.of(
          "data centre %d here belongs to group %016x, not %016x: if both have data, export one store, join with an empty directory, and import it there"
              .formatted(host.own(), host.group(), member.group()));
    }
    if (member.to() != host.own() && member.to() != Handshake.ANY) {
      return Optional.of("this is data centre %d, not %d".formatted(host.own(), member.to()));
    }
    // It may have become a member before this data centre knows: a retry then succeeds.
    return host.isMember(member.from(), member.store())
        ? Optional.empty()
        : Optional.of(
            "data centre %d does not know store %016x as data centre %d"
                .formatted(host.own(), member.store(), member.from()));
  }

  /** Exchanges messages; returns when the link has ended. */
  private void runLink(Node other, SocketStreams connection) throws IOException {
    Receiver current = receiver;
    if (current == null || closed) {
      return;
    }
    Link link =
        new Link(
            "" + other.dataCentre,
            connection,
            (from, partition, message) -> {
              routes.learn(other.dataCentre, partition, from, System.nanoTime());
              current.receive(message);
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
      // Also reached if the link's threads could not be started.
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
      Map<Integer, List<String>> others = host.others();
      others.forEach(
          (number, addresses) ->
              addresses.forEach(address -> callIfDue(new Node(number, address))));
      if (links.isEmpty()) {
        // All known addresses may be outdated.
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
    long nowNanos = System.nanoTime();
    Attempt attempt = attempts.computeIfAbsent(other, key -> firstAttempt(other, nowNanos));
    if (attempt.isDue(nowNanos)) {
      attempts.put(other, attempt.next(nowNanos));
      runApart("replication-call-" + other.dataCentre, () -> call(other), () -> {});
    }
  }

  /** Lets the lower number connect first, so that two connections do not replace each other. */
  private Attempt firstAttempt(Node other, long nowNanos) {
    long pauseMillis = host.own() < other.dataCentre ? 0 : HIGHER_NUMBER_DELAY_MILLIS;
    return new Attempt(nowNanos + TimeUnit.MILLISECONDS.toNanos(pauseMillis), MIN_PAUSE_MILLIS);
  }

  private void call(Node other) {
    try (SocketStreams connection =
        SocketStreams.of(sockets.connect(Address.parse(other.address)))) {
      handshaking.add(connection);
      try {
        new Handshake.Member(
                host.group(), host.store(), host.own(), other.dataCentre, host.address())
            .write(connection.out());
        Handshake answer = Handshake.read(connection.in());
        if (answer instanceof Handshake.Welcome welcome && welcome.number() != host.own()) {
          problems.remove(other);
          runLink(new Node(welcome.number(), welcome.node()), connection);
        } else if (answer instanceof Handshake.Refused refused) {
          problem(other, "refuses", refused.why());
        }
      } finally {
        handshaking.remove(connection);
      }
    } catch (IOException e) {
      problem(other, "can't be reached", IoReason.of(e));
    }
  }

  private void problem(Node other, String what, String why) {
    if (!links.containsKey(other)) {
      String name =
          other.dataCentre < Handshake.ANY ? "data centre " + other.dataCentre : "the data centre";
      problems.put(other, "%s at %s %s: %s".formatted(name, other.address, what, why));
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      listening.close();
    } catch (IOException e) {
      // The socket is closed in any case.
    }
    links.values().forEach(Link::close);
    handshaking.forEach(SocketStreams::close);
    acceptor.join();
    caller.join();
    links.values().forEach(Link::close);
    handshaking.forEach(SocketStreams::close);
    workers.forEach(Threads::join);
  }
}
