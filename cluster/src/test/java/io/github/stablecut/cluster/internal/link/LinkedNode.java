package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.internal.network.EventLoops;
import io.github.stablecut.cluster.internal.remote.Links;
import io.github.stablecut.cluster.internal.remote.NodeTls;
import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.crdt.Bytes;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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
  final Queue<NodeMessage.RequestEnvelope> requests = new ConcurrentLinkedQueue<>();
  final Map<Long, Bytes> replies = new ConcurrentHashMap<>();
  final List<Links.Link> broken = new CopyOnWriteArrayList<>();

  /** The messages to replicas. */
  final Queue<LinkFrame.Message> messages = new ConcurrentLinkedQueue<>();

  /** The addresses of messages sent through Akka. */
  final Queue<String> sent = new ConcurrentLinkedQueue<>();

  /** Added to the monotonic clock. */
  final AtomicLong ahead = new AtomicLong();

  /** Called when a link reads the time. */
  volatile Runnable onNow = () -> {};

  /** The reply to a request; empty for none. */
  volatile Function<NodeMessage.RequestEnvelope, Optional<Bytes>> answer =
      request -> Optional.of(request.request().bytes());

  LinkedNode(String name, EventLoops loops, NodeTls tls) {
    this(name, loops, tls, Runnable::run);
  }

  LinkedNode(String name, EventLoops loops, NodeTls tls, Executor executor) {
    this.links =
        new NodeLinks(
            name,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            loops.group(),
            tls,
            executor,
            () -> System.nanoTime() + ahead.get(),
            this);
  }

  /** Returns the port on which it accepts links. */
  int port() {
    String said = links.said();
    return Integer.parseInt(said.substring(0, said.indexOf('/')));
  }

  /** Returns its announcement with another port. */
  String saidAt(int port) {
    String said = links.said();
    return port + said.substring(said.indexOf('/'));
  }

  @Override
  public void onRequest(NodeMessage.RequestEnvelope request) {
    requests.add(request);
    answer
        .apply(request)
        .ifPresent(
            bytes ->
                request
                    .from()
                    .tell(
                        new NodeMessage.ReplyEnvelope(
                            request.number(), 9, Optional.empty(), new Fragment(0, bytes))));
  }

  @Override
  public void onMessage(int partition, long sender, Bytes message) {
    messages.add(new LinkFrame.Message(partition, sender, message));
  }

  @Override
  public void onReply(long number, long sender, Bytes reply) {
    replies.put(number, reply);
  }

  @Override
  public void onBroken(Links.Link link) {
    broken.add(link);
  }

  @Override
  public void send(String address, NodeMessage message) {
    sent.add(address);
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
  }
}
