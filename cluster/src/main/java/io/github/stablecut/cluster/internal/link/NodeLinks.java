package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.internal.remote.Links;
import io.github.stablecut.cluster.internal.remote.NodeTls;
import io.github.stablecut.cluster.internal.remote.RequestEnvelope;
import io.github.stablecut.cluster.internal.remote.Requester;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.log.Log;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The connections of a node, in both directions. A node connects to each member as soon as it knows
 * its data port, once from each event loop, and once for large messages from an event loop of their
 * own. A request that arrives on an event loop is sent, and its reply received, on that loop, so
 * that no other thread is woken. A connection belongs to one incarnation of each node, as learned
 * through Akka, and ends when Akka reports the other node unreachable. Thread-safe.
 */
public final class NodeLinks implements Links, AutoCloseable {
  private static final Logger LOG = Log.of(NodeLinks.class);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** Maximum number of accepted connections whose other end is not identified yet. */
  static final int MAX_UNKNOWN = 128;

  /** Limits of the unsent bytes of small requests, above which a connection is full. */
  private static final WriteBufferWaterMark UNSENT = new WriteBufferWaterMark(1 << 20, 2 << 20);

  /** Limits of the unsent bytes of large messages; the next chunks wait. */
  private static final WriteBufferWaterMark UNSENT_CHUNKS =
      new WriteBufferWaterMark(128 << 10, 256 << 10);

  /** Limits of the unsent replies, above which no requests are read. */
  private static final WriteBufferWaterMark UNSENT_REPLIES =
      new WriteBufferWaterMark(32 << 10, 64 << 10);

  private static final RecvByteBufAllocator RECEIVED =
      new AdaptiveRecvByteBufAllocator(64, 2 << 10, 64 << 10);

  /** The identity of this node. */
  record NodeIdentity(String name, long incarnation) {}

  /** The most that a tick counts as elapsed: this process may have been paused. */
  private static final long MAX_TICK_NANOS = Duration.ofSeconds(1).toNanos();

  private final NodeIdentity self;
  private final NodeTls tls;
  private final LinkHandler handler;
  private final Executor executor;
  private final LongSupplier nanoTime;
  private final List<EventLoop> loops = new ArrayList<>();
  private final EventLoop bulkLoop;
  private final Channel listening;
  private final Map<String, Peer> peers = new ConcurrentHashMap<>();
  private final Set<ServerEnd> accepted = ConcurrentHashMap.newKeySet();

  /** The time at which the links were last checked. Confined to the thread that ticks. */
  private long tickedNanos;

  /** The accepted connections whose other end is not identified yet, oldest first. */
  private final Queue<ServerEnd> unknown = new ConcurrentLinkedQueue<>();

  private volatile Set<String> reachable = Set.of();
  private volatile boolean isClosed;

  /**
   * Starts to accept links.
   *
   * @param name the node's name
   * @param address the address to listen on; port 0 for any free one
   * @param group the threads of small messages
   * @param bulk the thread of large messages
   * @param executor prepares connections, which may read files
   * @param nanoTime a monotonic clock
   * @throws JoinRefusedException if the port can't be opened
   */
  public NodeLinks(
      String name,
      InetSocketAddress address,
      EventLoopGroup group,
      EventLoopGroup bulk,
      NodeTls tls,
      Executor executor,
      LongSupplier nanoTime,
      LinkHandler handler) {
    this.self = new NodeIdentity(name, new SecureRandom().nextLong());
    this.tls = tls;
    this.handler = handler;
    this.executor = executor;
    this.nanoTime = nanoTime;
    this.bulkLoop = bulk.next();
    for (EventExecutor loop : group) {
      loops.add((EventLoop) loop);
    }
    ChannelFuture bound =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, UNSENT_REPLIES)
            .childOption(ChannelOption.RECVBUF_ALLOCATOR, RECEIVED)
            .childOption(ChannelOption.AUTO_READ, false)
            .childHandler(initializer(this::accepted))
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new JoinRefusedException(
          "the data port, %s:%d, can't be opened: %s; free it, or set cluster.data-port to another one, or to 0 for any free one"
              .formatted(address.getHostString(), address.getPort(), bound.cause().getMessage()));
    }
    this.listening = bound.channel();
  }

  private interface Setup {
    void begin(SocketChannel channel);
  }

  private static ChannelHandler initializer(Setup setup) {
    return new ChannelInitializer<SocketChannel>() {
      @Override
      protected void initChannel(SocketChannel channel) {
        setup.begin(channel);
      }
    };
  }

  /**
   * Returns the data port and incarnation of this node, which it announces to the others.
   *
   * @param port the port at which they reach it; 0 for the one on which it listens
   */
  public String said(int port) {
    return LinkAddress.said(
        port == 0 ? ((InetSocketAddress) listening.localAddress()).getPort() : port,
        self.incarnation);
  }

  /**
   * Records the announcement of another node, which members repeat.
   *
   * @param address its Akka address
   * @param said the result of its {@link #said}
   */
  public void learn(String name, String address, String said) {
    if (name.equals(self.name)) {
      return;
    }
    LinkAddress to = LinkAddress.of(name, address, said);
    Peer before = peers.get(name);
    if (before != null && before.to.equals(to)) {
      return;
    }
    if (to == null) {
      peers.remove(name);
    } else {
      Peer next = new Peer(to, loops.size() + 1, nanoTime.getAsLong());
      peers.put(name, next);
      connectAll(next);
    }
    if (before != null) {
      before.forEach(end -> end.close("the node was restarted"));
    }
    accepted.stream()
        .filter(end -> end.other().filter(run -> run.name().equals(name)).isPresent())
        .filter(end -> !end.isFrom(to))
        .forEach(end -> end.close("the node was restarted"));
  }

  /** Starts to connect where there is no connection. */
  private void connectAll(Peer peer) {
    for (int number = 0; number <= loops.size(); number++) {
      if (peer.end(number) == null) {
        startConnecting(peer, number);
      }
    }
  }

  /**
   * Closes links to unreachable nodes and silent links, and makes missing ones. Forgets the
   * addresses of unreachable nodes, which may never return. Called several times per second, by one
   * thread.
   *
   * @param nodes the names of the reachable nodes, including observers
   */
  public void tick(Set<String> nodes) {
    reachable = nodes;
    long nowNanos = nanoTime.getAsLong();
    long oldestWrite = handler.oldestWrite();
    handler.onAnswered(self.incarnation, oldestWrite);
    peers.forEach(
        (name, peer) -> {
          if (nodes.contains(name)) {
            peer.tick(nowNanos, oldestWrite);
            connectAll(peer);
          } else if (peers.remove(name, peer)) {
            peer.forEach(end -> end.close("the node can't be reached"));
          }
        });
    long elapsedNanos = Math.min(nowNanos - tickedNanos, MAX_TICK_NANOS);
    tickedNanos = nowNanos;
    accepted.forEach(
        end -> {
          if (!end.isFrom(end.other().map(run -> known(run.name())).orElse(null))) {
            end.close("the node can't be reached or was restarted");
          } else {
            end.tick(elapsedNanos);
          }
        });
  }

  /** Returns where a node accepts links; null if it is unreachable. */
  @Nullable LinkAddress known(String name) {
    Peer peer = reachable.contains(name) ? peers.get(name) : null;
    return peer == null ? null : peer.to;
  }

  /** Returns the event loop of large messages. */
  EventLoop bulkLoop() {
    return bulkLoop;
  }

  @Override
  public boolean isReady(String node) {
    return to(node) != null;
  }

  /** Returns the calling thread's connection to a node; null if it takes no small messages. */
  @Nullable ClientEnd to(String node) {
    ClientEnd end = end(peers.get(node), ownLoop());
    return end != null && end.hasRoom() ? end : null;
  }

  /** Returns the connection for large messages to a node; null if it is not ready. */
  @Nullable ClientEnd bulkTo(String node) {
    return bulk(peers.get(node));
  }

  private @Nullable ClientEnd bulk(@Nullable Peer peer) {
    ClientEnd end = end(peer, loops.size());
    return end != null && end.isReady ? end : null;
  }

  @Override
  public void send(
      String node, int partition, long epoch, long number, Bytes request, Consumer<Boolean> done) {
    LinkFrame.Request frame =
        new LinkFrame.Request(partition, epoch, number, handler.now(), request);
    if (node.equals(self.name)) {
      sendHere(frame, done);
    } else {
      send(peers.get(node), frame, done);
    }
  }

  @Override
  public void repeat(
      String node,
      long run,
      int partition,
      long epoch,
      long number,
      Bytes request,
      Consumer<Boolean> done) {
    Peer peer = peers.get(node);
    send(
        peer != null && peer.to.incarnation() == run ? peer : null,
        new LinkFrame.Request(partition, epoch, number, handler.now(), request),
        done);
  }

  private void send(@Nullable Peer peer, LinkFrame.Request frame, Consumer<Boolean> done) {
    if (Links.isLarge(frame.bytes())) {
      sendLarge(bulk(peer), frame.number(), frame, done);
    } else {
      ClientEnd end = end(peer, ownLoop());
      done.accept(end != null && end.send(frame));
    }
  }

  @Override
  public long run(String node) {
    Peer peer = peers.get(node);
    return peer == null ? 0 : peer.to.incarnation();
  }

  private static void sendLarge(
      @Nullable ClientEnd end, long number, LinkFrame.Content content, Consumer<Boolean> done) {
    if (end == null) {
      done.accept(false);
    } else {
      end.sendLarge(number, content, done);
    }
  }

  /** Handles a request of this node to itself, such as one to a partition that it is to own. */
  private void sendHere(LinkFrame.Request request, Consumer<Boolean> done) {
    RequestEnvelope envelope =
        new RequestEnvelope(
            request.partition(),
            request.epoch(),
            request.number(),
            request.clock(),
            new ThisNode(),
            request.bytes());
    try {
      loops.get(ownLoop()).execute(() -> handler.onRequest(envelope, () -> done.accept(true)));
    } catch (RejectedExecutionException e) {
      done.accept(false);
    }
  }

  /** This node as the sender of a request. */
  private final class ThisNode implements Requester {
    @Override
    public String name() {
      return self.name;
    }

    @Override
    public long run() {
      return self.incarnation;
    }

    @Override
    public String address() {
      return "";
    }

    @Override
    public void reply(long number, long clock, Bytes reply, Consumer<Boolean> done) {
      handler.onReply(number, clock, reply, () -> done.accept(true));
    }

    @Override
    public void tellDriver(long driver, long clock, Bytes answer) {
      handler.onDriverReply(driver, clock, answer);
    }
  }

  @Override
  public void tell(String node, int partition, Bytes message) {
    ClientEnd end = end(peers.get(node), partition % loops.size());
    if (end != null && !end.send(new LinkFrame.Message(partition, handler.now(), message))) {
      LOG.debug("a message to a replica of partition {} on node {} is lost", partition, node);
    }
  }

  @Override
  public void forget(long number) {
    peers.values().forEach(peer -> peer.forEach(end -> end.forget(number)));
  }

  @Override
  public String missing(String node) {
    Peer peer = peers.get(node);
    return peer == null
        ? "node %s has not announced its data port: try again".formatted(node)
        : peer.missing();
  }

  /** Returns which members can't be reached at their data ports for a while. */
  public List<String> problems() {
    long nowNanos = nanoTime.getAsLong();
    return peers.values().stream().flatMap(peer -> peer.problem(nowNanos).stream()).toList();
  }

  /** Sends a small reply to a run of a node, on one of this node's links; returns whether. */
  boolean answer(LinkAddress to, LinkFrame reply) {
    ClientEnd end = end(peerOf(to), ownLoop());
    return end != null && end.send(reply);
  }

  /** Sends a large reply to a run of a node, on one of this node's links. */
  void answerLarge(LinkAddress to, long number, LinkFrame.Content reply, Consumer<Boolean> done) {
    sendLarge(bulk(peerOf(to)), number, reply, done);
  }

  private @Nullable Peer peerOf(LinkAddress to) {
    Peer peer = peers.get(to.name());
    return peer != null && peer.to.equals(to) ? peer : null;
  }

  /** Returns a connection; null if there is none, and starts to make it. */
  private @Nullable ClientEnd end(@Nullable Peer peer, int number) {
    if (peer == null) {
      return null;
    }
    ClientEnd end = peer.end(number);
    if (end == null) {
      startConnecting(peer, number);
    }
    return end;
  }

  /** Returns the calling thread's event loop, or any loop for other threads. */
  private int ownLoop() {
    for (int i = 0; i < loops.size(); i++) {
      if (loops.get(i).inEventLoop()) {
        return i;
      }
    }
    return (int) (Thread.currentThread().getId() % loops.size());
  }

  /** Starts to connect, unless a connection exists, is in progress or has just failed. */
  private void startConnecting(Peer peer, int number) {
    if (isClosed || !reachable.contains(peer.to.name())) {
      return;
    }
    Peer.Attempt attempt = peer.begin(number, nanoTime.getAsLong());
    if (attempt == null) {
      return;
    }
    try {
      executor.execute(() -> connect(peer, attempt));
    } catch (RuntimeException | Error e) {
      // The executor is closed or can't start a thread.
      ended(peer, attempt, e.toString());
    }
  }

  private void connect(Peer peer, Peer.Attempt attempt) {
    boolean isBulk = attempt.number() == loops.size();
    try {
      SSLEngine engine = tls.client(peer.to.host(), peer.to.port());
      new Bootstrap()
          .group(isBulk ? bulkLoop : loops.get(attempt.number()))
          .channel(NioSocketChannel.class)
          .option(ChannelOption.TCP_NODELAY, true)
          .option(ChannelOption.SO_KEEPALIVE, true)
          .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) CONNECT_TIMEOUT.toMillis())
          .option(ChannelOption.WRITE_BUFFER_WATER_MARK, isBulk ? UNSENT_CHUNKS : UNSENT)
          .option(ChannelOption.RECVBUF_ALLOCATOR, RECEIVED)
          .handler(initializer(channel -> connected(peer, attempt, channel, engine)))
          // Resolves the name on this thread, as the event loop must not block.
          .connect(new InetSocketAddress(peer.to.host(), peer.to.port()))
          .addListener(
              connected -> {
                if (!connected.isSuccess()) {
                  ended(peer, attempt, String.valueOf(connected.cause().getMessage()));
                }
              });
    } catch (RuntimeException | Error e) {
      ended(peer, attempt, e.toString());
    }
  }

  private void connected(Peer peer, Peer.Attempt attempt, SocketChannel channel, SSLEngine engine) {
    ClientEnd end = new ClientEnd(channel, peer.to, self, tls, nanoTime, handler);
    if (attempt.number() == loops.size()) {
      end.carryLarge();
    }
    end.begin(engine, executor);
    channel.closeFuture().addListener(closed -> ended(peer, attempt, end.reason()));
    if (!peer.made(attempt, end) || isClosed || peers.get(peer.to.name()) != peer) {
      end.close("the node was restarted");
    }
  }

  private void ended(Peer peer, Peer.Attempt attempt, String why) {
    LOG.debug("no link to node {}: {}", peer.to.name(), why);
    peer.ended(attempt, why, nanoTime.getAsLong());
  }

  private void accepted(SocketChannel channel) {
    ServerEnd end = new ServerEnd(channel, this, self, tls, handler);
    if (isClosed) {
      end.close("the node is closed");
      return;
    }
    limitHandshakes();
    accepted.add(end);
    unknown.add(end);
    channel.closeFuture().addListener(closed -> accepted.remove(end));
    try {
      executor.execute(
          () -> {
            try {
              SSLEngine engine = tls.server();
              channel
                  .eventLoop()
                  .execute(
                      () -> {
                        end.begin(engine, executor);
                        channel.config().setAutoRead(true);
                      });
            } catch (RuntimeException | Error e) {
              end.close(String.valueOf(e));
            }
          });
    } catch (RejectedExecutionException e) {
      end.close("the node is closed");
    }
  }

  /**
   * Closes the oldest handshakes if there are too many. A node's handshake is quick; idle ones are
   * not of nodes, and must not lock nodes out.
   */
  private void limitHandshakes() {
    unknown.removeIf(end -> !end.isBeginning());
    while (unknown.size() >= MAX_UNKNOWN) {
      ServerEnd oldest = unknown.poll();
      if (oldest != null) {
        oldest.close("too many connections are in the handshake");
      }
    }
  }

  /** Returns the number of violations of the protocol, in this process. */
  public static long violations() {
    return LinkEnd.violations();
  }

  /** Returns the number of accepted connections. */
  int accepted() {
    return accepted.size();
  }

  /** Returns the number of accepted connections whose other end is not identified yet. */
  int unknown() {
    return (int) accepted.stream().filter(LinkEnd::isBeginning).count();
  }

  /** Returns the number of ready links, in both directions. */
  public int size() {
    AtomicInteger ready = new AtomicInteger();
    Consumer<LinkEnd> count = end -> ready.addAndGet(end.isReady ? 1 : 0);
    accepted.forEach(count);
    peers.values().forEach(peer -> peer.forEach(count::accept));
    return ready.get();
  }

  /** Breaks all connections, which are then made again: fault injection by tests. */
  public void breakAll() {
    peers.values().forEach(peer -> peer.forEach(end -> end.close("a test")));
    accepted.forEach(end -> end.close("a test"));
  }

  /** Closes all links. Idempotent. */
  @Override
  public void close() {
    isClosed = true;
    listening.close().awaitUninterruptibly(2, TimeUnit.SECONDS);
    peers.values().forEach(peer -> peer.forEach(end -> end.close("the node is closed")));
    accepted.forEach(end -> end.close("the node is closed"));
  }
}
