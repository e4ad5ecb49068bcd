package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.network.EventLoops;
import io.github.stablecut.cluster.internal.remote.LargeMessages;
import io.github.stablecut.cluster.internal.remote.NodeTls;
import io.github.stablecut.cluster.internal.remote.PendingRequests;
import io.github.stablecut.cluster.internal.remote.ReplySender;
import io.github.stablecut.cluster.internal.remote.RequestEnvelope;
import io.github.stablecut.cluster.internal.remote.TrafficBudgets;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** The links of a node, and what has arrived on them. Thread-safe. */
final class LinkedNode implements LinkHandler, AutoCloseable {
  final NodeLinks links;
  final Queue<RequestEnvelope> requests = new ConcurrentLinkedQueue<>();
  final Map<Long, Bytes> replies = new ConcurrentHashMap<>();

  /** The answers to drivers, by the driver's number. */
  final Map<Long, Bytes> driverReplies = new ConcurrentHashMap<>();

  /** The oldest writes that other nodes await, by their runs. */
  final Map<Long, Long> answered = new ConcurrentHashMap<>();

  /** The nodes to which a connection broke. */
  final List<String> broken = new CopyOnWriteArrayList<>();

  /** The nodes to which there was a new connection. */
  final List<String> ready = new CopyOnWriteArrayList<>();

  /** The messages to replicas. */
  final Queue<LinkFrame.Message> messages = new ConcurrentLinkedQueue<>();

  /** Added to the monotonic clock. */
  final AtomicLong ahead = new AtomicLong();

  /** Called when a link reads the time. */
  volatile Runnable onNow = () -> {};

  /** The reply to a request; empty for none. */
  volatile Function<RequestEnvelope, Optional<Bytes>> answer =
      request -> Optional.of(request.request());

  final TrafficBudgets traffic = TrafficBudgets.shared("a test", 4 << 20);
  final MembershipView view = new MembershipView();
  final PendingRequests pending =
      new PendingRequests(view, traffic.requestsOut(), Runnable::run, Duration.ofSeconds(5));
  private final EventLoops bulk = new EventLoops("bulk", 1);
  private final LargeMessages large =
      new LargeMessages(
          new ReplySender(
              new NodeClock(
                  EmbeddedStore.clock(StoreOptions.defaults()), NodeSettings.DEFAULT_CLOCK_DRIFT),
              traffic.answersOut(),
              Duration.ofSeconds(1)),
          pending,
          traffic,
          System::nanoTime);

  LinkedNode(String name, EventLoops loops, NodeTls tls) {
    this(name, loops, tls, Runnable::run);
  }

  LinkedNode(String name, EventLoops loops, NodeTls tls, Executor executor) {
    this.links =
        new NodeLinks(
            name,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            loops.group(),
            bulk.group(),
            tls,
            executor,
            () -> System.nanoTime() + ahead.get(),
            this);
  }

  /** Returns the port on which it accepts links. */
  int port() {
    String said = said();
    return Integer.parseInt(said.substring(0, said.indexOf('/')));
  }

  /** Returns its announcement with another port. */
  String saidAt(int port) {
    return links.said(port);
  }

  /** Returns its announcement. */
  String said() {
    return links.said(0);
  }

  @Override
  public void onRequest(RequestEnvelope request, Runnable done) {
    requests.add(request);
    answer
        .apply(request)
        .ifPresent(bytes -> request.from().reply(request.number(), 9, bytes, isSent -> {}));
    done.run();
  }

  @Override
  public void onMessage(int partition, long sender, Bytes message) {
    messages.add(new LinkFrame.Message(partition, sender, message));
  }

  @Override
  public void onReply(long number, long sender, Bytes reply, Runnable done) {
    replies.put(number, reply);
    done.run();
  }

  @Override
  public void onDriverReply(long driver, long sender, Bytes answered) {
    driverReplies.put(driver, answered);
  }

  @Override
  public void onAnswered(long run, long oldest) {
    answered.put(run, oldest);
  }

  @Override
  public long oldestWrite() {
    return pending.oldestWrite();
  }

  @Override
  public LargeMessages large() {
    return large;
  }

  @Override
  public void onBroken(String node, boolean isBulk) {
    broken.add(node);
  }

  @Override
  public void onReady(String node) {
    ready.add(node);
  }

  @Override
  public long now() {
    onNow.run();
    return 7;
  }

  /** Called a few times per second, as by the node's actor. */
  void tick(String... reachable) {
    links.tick(Set.of(reachable));
  }

  @Override
  public void close() {
    links.close();
    bulk.close();
  }
}
