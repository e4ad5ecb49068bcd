package io.github.stablecut.cluster.internal.network;

import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.ResponseCodec;
import io.github.stablecut.cluster.internal.service.Service;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.timeout.IdleStateHandler;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The port of the protocol and its connections. Thread-safe. */
public final class Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Listener.class);

  private final Service service;
  private final ListenerOptions options;
  private final Optional<Tls> tls;
  private final MemoryBudget budget;
  private final Map<Channel, Connection> connections = new ConcurrentHashMap<>();
  private final Channel channel;

  /**
   * Opens the port.
   *
   * @throws BindFailedException if that fails
   */
  public Listener(
      EventLoops loops,
      InetSocketAddress address,
      Service service,
      ListenerOptions options,
      Optional<Tls> tls) {
    this.service = service;
    this.options = options;
    this.tls = tls;
    this.budget = new MemoryBudget(options.largeRequestBytes());
    this.channel = bind(loops, address, new Initializer());
  }

  static Channel bind(
      EventLoops loops, InetSocketAddress address, ChannelInitializer<SocketChannel> initializer) {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loops.group())
            .channel(NioServerSocketChannel.class)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(initializer)
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new BindFailedException(address, bound.cause());
    }
    return bound.channel();
  }

  /** Sets up each new connection. */
  private final class Initializer extends ChannelInitializer<SocketChannel> {
    @Override
    protected void initChannel(SocketChannel accepted) {
      if (connections.size() >= options.maxConnections()) {
        refuse(accepted);
        return;
      }
      ChannelPipeline pipeline = accepted.pipeline();
      tls.ifPresent(secured -> pipeline.addLast(secured.handler(accepted.alloc())));
      FrameDecoder decoder = new FrameDecoder(options.maxRequestBytes(), budget, options.request());
      Connection connection = new Connection(service, accepted, decoder, budget);
      pipeline.addLast(
          new IdleStateHandler(true, 0, 0, options.idle().toMillis(), TimeUnit.MILLISECONDS),
          decoder,
          connection);
      connections.put(accepted, connection);
      accepted.closeFuture().addListener(closed -> connections.remove(accepted));
    }

    /** Before a TLS handshake there are no words. */
    private void refuse(SocketChannel accepted) {
      LOG.warn("{} is refused: there are {} connections", accepted, options.maxConnections());
      Response busy =
          new Response.Failed(
              ErrorCode.BUSY,
              "the server has %,d connections, as many as it allows: close some, or raise max-connections"
                  .formatted(options.maxConnections()));
      ByteBuffer[] frame =
          tls.isPresent()
              ? new ByteBuffer[0]
              : ResponseCodec.write(busy, Long.MAX_VALUE).toArray(ByteBuffer[]::new);
      accepted
          .writeAndFlush(Unpooled.wrappedBuffer(frame))
          .addListener(ChannelFutureListener.CLOSE);
    }
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) channel.localAddress();
  }

  /** How many connections there are. */
  public int connections() {
    return connections.size();
  }

  /**
   * Accepts no more connections, answers what has come, and waits for the clients to take it.
   *
   * @param nanos how long it waits; then it closes what is open
   */
  public void close(long nanos) {
    await(channel.close(), nanos);
    connections.values().forEach(connection -> connection.session().finish());
    long end = System.nanoTime() + nanos;
    for (Channel open : connections.keySet()) {
      await(open.closeFuture(), end - System.nanoTime());
    }
    for (Channel open : connections.keySet()) {
      var unused = open.close();
    }
  }

  private static void await(ChannelFuture future, long nanos) {
    var unused = future.awaitUninterruptibly(Math.max(0, nanos), TimeUnit.NANOSECONDS);
  }
}
