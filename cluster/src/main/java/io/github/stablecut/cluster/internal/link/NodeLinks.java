package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.internal.remote.Links;
import io.github.stablecut.cluster.internal.remote.NodeTls;
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
 * The direct connections of a node, in both directions. A node connects to another at its first
 * request, once from each event loop. A request that arrives on an event loop is sent, and its
 * reply received, on that loop, so that no other thread is woken. A connection belongs to one
 * incarnation of each node, as learned through Akka, and ends when Akka reports the other node
 * unreachable. Thread-safe.
 */
public final class NodeLinks implements Links, AutoCloseable {
  private static final Logger LOG = Log.of(NodeLinks.class);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** Maximum number of accepted connections whose other end is not identified yet. */
  static final int MAX_UNKNOWN = 128;

  /** Limits of a connection's unsent bytes, above which it is full. */
  private static final WriteBufferWaterMark UNSENT = new WriteBufferWaterMark(32 << 10, 64 << 10);

  private static final RecvByteBufAllocator RECEIVED =
      new AdaptiveRecvByteBufAllocator(64, 2 << 10, 32 << 10);

  /** The identity of this node. */
  record NodeIdentity(String name, long incarnation) {}

  private final NodeIdentity self;
  private final NodeTls tls;
  private final LinkHandler handler;
  private final Executor executor;
  private final LongSupplier nanoTime;
  private final List<EventLoop> loops = new ArrayList<>();
  private final Channel listening;
  private final Map<String, Peer> peers = new ConcurrentHashMap<>();
  private final Set<ServerEnd> accepted = ConcurrentHashMap.newKeySet();

  /** The accepted connections whose other end is not identified yet, oldest first. */
  private final Queue<ServerEnd> unknown = new ConcurrentLinkedQueue<>();

  private volatile Set<String> reachable = Set.of();
  private volatile boolean isClosed;

  /**
   * Starts to accept links.
   *
   * @param name the node's name
   * @param address the address to listen on; port 0 for any free one
   * @param executor prepares connections, which may read files
   * @param nanoTime a monotonic clock
   * @throws JoinRefusedException if the port can't be opened
   */
  public NodeLinks(
      String name,
      InetSocketAddress address,
      EventLoopGroup group,
      NodeTls tls,
      Executor executor,
      LongSupplier nanoTime,
      LinkHandler handler) {
    this.self = new NodeIdentity(name, new SecureRandom().nextLong());
    this.tls = tls;
    this.handler = handler;
    this.executor = executor;
    this.nanoTime = nanoTime;
    for (EventExecutor loop : group) {
      loops.add((EventLoop) loop);
    }
    ChannelFuture bound =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, UNSENT)
            .childOption(ChannelOption.RECVBUF_ALLOCATOR, RECEIVED)
            .childOption(ChannelOption.AUTO_READ, false)
            .childHandler(initializer(this::accepted))
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new JoinRefusedException(
          "the port for links between nodes, %s port %d, can't be opened: %s; free it, or set cluster.link-port to another port, or to 0 for any free one"
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

  /** Returns the port and incarnation of this node, which it announces to the others. */
  public String said() {
    return LinkAddress.said(
        ((InetSocketAddress) listening.localAddress()).getPort(), self.incarnation);
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
      peers.put(name, new Peer(to, loops.size(), nanoTime.getAsLong()));
    }
    if (before != null) {
      before.forEach(end -> end.close("the node was restarted"));
    }
    accepted.stream()
        .filter(end -> end.name().filter(name::equals).isPresent() && !end.isFrom(to))
        .forEach(end -> end.close("the node was restarted"));
  }

  /**
   * Closes links to unreachable nodes and silent links. Forgets the addresses of unreachable nodes,
   * which may never return. Called several times per second, by one thread.
   *
   * @param nodes the names of the reachable nodes
   */
  public void tick(Set<String> nodes) {
    reachable = nodes;
    long nowNanos = nanoTime.getAsLong();
    peers.forEach(
        (name, peer) -> {
          if (nodes.contains(name)) {
            peer.tick(nowNanos);
          } else if (peers.remove(name, peer)) {
            peer.forEach(end -> end.close("the node can't be reached"));
          }
        });
    accepted.forEach(
        end -> {
          if (!end.isFrom(end.name().map(this::known).orElse(null))) {
            end.close("the node can't be reached or was restarted");
          }
        });
  }

  /** Returns where a node accepts links; null if it is unreachable. */
  @Nullable LinkAddress known(String name) {
    Peer peer = reachable.contains(name) ? peers.get(name) : null;
    return peer == null ? null : peer.to;
  }

  @Override
  public @Nullable Link to(String node) {
    return end(node, ownLoop());
  }

  @Override
  public boolean tell(String node, int partition, Bytes message) {
    ClientEnd end = end(node, partition % loops.size());
    return end != null && end.tell(partition, message);
  }

  /** Returns the connection of an event loop; null if it is not ready, or full. */
  private @Nullable ClientEnd end(String node, int number) {
    Peer peer = peers.get(node);
    if (peer == null) {
      return null;
    }
    ClientEnd end = peer.end(number);
    if (end == null) {
      startConnecting(peer, number);
      return null;
    }
    return end.isReady && end.channel.isWritable() ? end : null;
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
      // The executor is closed or can't start a thread: requests go through Akka.
      LOG.debug("can't connect a link to node {}: {}", peer.to.name(), e.toString());
      ended(peer, attempt);
    }
  }

  private void connect(Peer peer, Peer.Attempt attempt) {
    try {
      SSLEngine engine = tls.client(peer.to.host(), peer.to.port());
      new Bootstrap()
          .group(loops.get(attempt.loop()))
          .channel(NioSocketChannel.class)
          .option(ChannelOption.TCP_NODELAY, true)
          .option(ChannelOption.SO_KEEPALIVE, true)
          .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) CONNECT_TIMEOUT.toMillis())
          .option(ChannelOption.WRITE_BUFFER_WATER_MARK, UNSENT)
          .option(ChannelOption.RECVBUF_ALLOCATOR, RECEIVED)
          .handler(initializer(channel -> connected(peer, attempt, channel, engine)))
          // Resolves the name on this thread, as the event loop must not block.
          .connect(new InetSocketAddress(peer.to.host(), peer.to.port()))
          .addListener(
              connected -> {
                if (!connected.isSuccess()) {
                  ended(peer, attempt);
                }
              });
    } catch (RuntimeException | Error e) {
      LOG.warn("can't connect a link to node {}: {}", peer.to.name(), e.toString());
      ended(peer, attempt);
    }
  }

  private void connected(Peer peer, Peer.Attempt attempt, SocketChannel channel, SSLEngine engine) {
    ClientEnd end = new ClientEnd(channel, peer.to, self, tls, nanoTime, handler);
    end.begin(engine, executor);
    channel.closeFuture().addListener(closed -> ended(peer, attempt));
    if (!peer.made(attempt, end) || isClosed || peers.get(peer.to.name()) != peer) {
      end.close("the node was restarted");
    }
  }

  private void ended(Peer peer, Peer.Attempt attempt) {
    peer.ended(attempt, nanoTime.getAsLong());
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

  /** Closes all links. Idempotent. */
  @Override
  public void close() {
    isClosed = true;
    listening.close().awaitUninterruptibly(2, TimeUnit.SECONDS);
    peers.values().forEach(peer -> peer.forEach(end -> end.close("the node is closed")));
    accepted.forEach(end -> end.close("the node is closed"));
  }
}
