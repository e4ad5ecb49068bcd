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
 * The direct connections of a node, in both directions. A node connects to another one when it
 * first has a request for it, once from each event loop: a request that comes on an event loop is
 * sent, and its reply received, on that loop, so that no other thread is woken. A connection
 * belongs to one run of the nodes at its ends, as they have said by way of Akka, and ends when the
 * other node can't be reached that way. Thread-safe.
 */
public final class NodeLinks implements Links, AutoCloseable {
  private static final Logger LOG = Log.of(NodeLinks.class);
  private static final Duration CONNECT = Duration.ofSeconds(5);

  /** The most connections whose other end is not known yet. */
  static final int MAX_UNKNOWN = 128;

  /** What waits to be sent on a connection, with which it is full. */
  private static final WriteBufferWaterMark UNSENT = new WriteBufferWaterMark(32 << 10, 64 << 10);

  private static final RecvByteBufAllocator RECEIVED =
      new AdaptiveRecvByteBufAllocator(64, 2 << 10, 32 << 10);

  /** This node, as the others know it. */
  record Self(String name, long incarnation) {}

  private final Self self;
  private final NodeTls tls;
  private final LinkHandler handler;
  private final Executor executor;
  private final LongSupplier nanoTime;
  private final List<EventLoop> loops = new ArrayList<>();
  private final Channel listening;
  private final Map<String, Peer> peers = new ConcurrentHashMap<>();
  private final Set<ServerEnd> answering = ConcurrentHashMap.newKeySet();

  /** Those of them whose other end was not known yet, the oldest first. */
  private final Queue<ServerEnd> unknown = new ConcurrentLinkedQueue<>();

  private volatile Set<String> reachable = Set.of();
  private volatile boolean isClosed;

  /**
   * Begins to accept links.
   *
   * @param name the node's
   * @param address where to listen; port 0 for any that is free
   * @param executor prepares connections, for which it may read files
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
    this.self = new Self(name, new SecureRandom().nextLong());
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
          "the port for links between nodes, %s port %d, can't be opened: %s; free it, or set cluster.link-port to another one, or to 0 for any"
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

  /** What this node says of itself to the others: where it accepts links. */
  public String said() {
    return LinkAddress.said(
        ((InetSocketAddress) listening.localAddress()).getPort(), self.incarnation);
  }

  /**
   * Another node tells of itself, as it does again and again while it is a member.
   *
   * @param address under which Akka reaches it
   * @param said as {@link #said} of that node
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
      var unused = peers.remove(name);
    } else {
      var unused = peers.put(name, new Peer(to, loops.size(), nanoTime.getAsLong()));
    }
    if (before != null) {
      before.forEach(end -> end.close("another run of the node began"));
    }
    answering.stream()
        .filter(end -> end.name().filter(name::equals).isPresent() && !end.isFrom(to))
        .forEach(end -> end.close("another run of the node began"));
  }

  /**
   * Ends links to nodes that can't be reached, and those that are silent. What such a node has said
   * of itself is forgotten: it may never come back. Called several times per second, by one thread.
   *
   * @param nodes the names of those that can
   */
  public void tick(Set<String> nodes) {
    reachable = nodes;
    long now = nanoTime.getAsLong();
    peers.forEach(
        (name, peer) -> {
          if (nodes.contains(name)) {
            peer.tick(now);
          } else if (peers.remove(name, peer)) {
            peer.forEach(end -> end.close("the node can't be reached"));
          }
        });
    answering.forEach(
        end -> {
          if (!end.isFrom(end.name().map(this::known).orElse(null))) {
            end.close("the node can't be reached, or another run of it began");
          }
        });
  }

  /** Where a node accepts links, if it can be reached; otherwise null. */
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

  /** A connection of an event loop; null if it is not ready, or full. */
  private @Nullable ClientEnd end(String node, int number) {
    Peer peer = peers.get(node);
    if (peer == null) {
      return null;
    }
    ClientEnd end = peer.end(number);
    if (end == null) {
      begin(peer, number);
      return null;
    }
    return end.isReady && end.channel.isWritable() ? end : null;
  }

  /** The calling thread's event loop, or any if it has none. */
  private int ownLoop() {
    for (int i = 0; i < loops.size(); i++) {
      if (loops.get(i).inEventLoop()) {
        return i;
      }
    }
    return (int) (Thread.currentThread().getId() % loops.size());
  }

  /** Makes a connection, unless one is being made, or the last one has just failed. */
  private void begin(Peer peer, int number) {
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
      // Closed, or there is no memory for a thread: requests go by way of Akka.
      LOG.debug("no link to node {} can be made: {}", peer.to.name(), e.toString());
      ended(peer, attempt);
    }
  }

  private void connect(Peer peer, Peer.Attempt attempt) {
    try {
      SSLEngine engine = tls.client(peer.to.host(), peer.to.port());
      var unused =
          new Bootstrap()
              .group(loops.get(attempt.loop()))
              .channel(NioSocketChannel.class)
              .option(ChannelOption.TCP_NODELAY, true)
              .option(ChannelOption.SO_KEEPALIVE, true)
              .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) CONNECT.toMillis())
              .option(ChannelOption.WRITE_BUFFER_WATER_MARK, UNSENT)
              .option(ChannelOption.RECVBUF_ALLOCATOR, RECEIVED)
              .handler(initializer(channel -> begun(peer, attempt, channel, engine)))
              // Its name is looked up here: on the event loop all others would wait for that.
              .connect(new InetSocketAddress(peer.to.host(), peer.to.port()))
              .addListener(
                  connected -> {
                    if (!connected.isSuccess()) {
                      ended(peer, attempt);
                    }
                  });
    } catch (RuntimeException | Error e) {
      LOG.warn("no link to node {} can be made: {}", peer.to.name(), e.toString());
      ended(peer, attempt);
    }
  }

  private void begun(Peer peer, Peer.Attempt attempt, SocketChannel channel, SSLEngine engine) {
    ClientEnd end = new ClientEnd(channel, peer.to, self, tls, nanoTime, handler);
    end.begin(engine, executor);
    channel.closeFuture().addListener(closed -> ended(peer, attempt));
    if (!peer.made(attempt, end) || isClosed || peers.get(peer.to.name()) != peer) {
      end.close("another run of the node began");
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
    makeRoom();
    boolean unused = answering.add(end) && unknown.add(end);
    channel.closeFuture().addListener(closed -> answering.remove(end));
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
                        var unusedToo = channel.config().setAutoRead(true);
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
   * Ends the oldest handshakes if there are too many. A node's takes moments: those that are idle
   * are of others, and must not keep it away.
   */
  private void makeRoom() {
    boolean unused = unknown.removeIf(end -> !end.isBeginning());
    while (unknown.size() >= MAX_UNKNOWN) {
      ServerEnd oldest = unknown.poll();
      if (oldest != null) {
        oldest.close("too many connections are in the handshake");
      }
    }
  }

  /** How many connections of others there are. */
  int accepted() {
    return answering.size();
  }

  /** How many connections were accepted whose other end is not known yet. */
  int unknown() {
    return (int) answering.stream().filter(LinkEnd::isBeginning).count();
  }

  /** How many links there are on which this node may ask, and may be asked. */
  public int size() {
    AtomicInteger ready = new AtomicInteger();
    Consumer<LinkEnd> count = end -> ready.addAndGet(end.isReady ? 1 : 0);
    answering.forEach(count);
    peers.values().forEach(peer -> peer.forEach(count::accept));
    return ready.get();
  }

  /** Closes all links. Idempotent. */
  @Override
  public void close() {
    isClosed = true;
    var unused = listening.close().awaitUninterruptibly(2, TimeUnit.SECONDS);
    peers.values().forEach(peer -> peer.forEach(end -> end.close("the node is closed")));
    answering.forEach(end -> end.close("the node is closed"));
  }
}
