package io.github.stablecut.cluster.internal.network;

import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.ResponseCodec;
import io.github.stablecut.cluster.internal.service.Service;
import io.github.stablecut.error.PrintableText;
import io.github.stablecut.log.Log;
import io.github.stablecut.log.LogLimit;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;

/** The port of the protocol and its connections. Thread-safe. */
public final class Listener {
  /** How long a large answer waits until clients have taken others. */
  private static final Duration ROOM_PATIENCE = Duration.ofSeconds(5);

  private static final Logger LOG = Log.of(Listener.class);

  /** How much may be given to a socket that does not take it, which is outside of the heap. */
  private static final WriteBufferWaterMark UNSENT = new WriteBufferWaterMark(16 << 10, 32 << 10);

  /** How much is taken from a socket at once: what is not wanted yet waits outside of the heap. */
  private static final RecvByteBufAllocator RECEIVED =
      new AdaptiveRecvByteBufAllocator(64, 2 << 10, 32 << 10);

  private final ListenerOptions options;
  private final Optional<Tls> tls;
  private final MemoryBudget budget;
  private final AnswerBudget answers;
  private final LogLimit refusals = new LogLimit();
  private final LogLimit handshakes = new LogLimit();
  private final Map<Channel, Connection> connections = new ConcurrentHashMap<>();
  private final Channel channel;

  /** What connections are served by; empty until {@link #serve}. */
  private volatile Optional<Service> service = Optional.empty();

  /**
   * Takes the port. Who connects waits for {@link #serve}.
   *
   * @throws BindFailedException if that fails
   */
  public Listener(
      EventLoops loops, InetSocketAddress address, ListenerOptions options, Optional<Tls> tls) {
    this.options = options;
    this.tls = tls;
    this.budget = new MemoryBudget(options.largeRequestBytes());
    this.answers = new AnswerBudget(options.unsentBytes(), ROOM_PATIENCE);
    this.channel = bind(loops, address, new Initializer(), false);
  }

  /** Begins to take connections. */
  public void serve(Service by) {
    service = Optional.of(by);
    var unused = channel.config().setAutoRead(true);
  }

  /**
   * Takes a port.
   *
   * @param accepts whether it takes connections at once
   */
  static Channel bind(
      EventLoops loops,
      InetSocketAddress address,
      ChannelInitializer<SocketChannel> initializer,
      boolean accepts) {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loops.group())
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.AUTO_READ, accepts)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, UNSENT)
            .childOption(ChannelOption.RECVBUF_ALLOCATOR, RECEIVED)
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
      // What is answered while requests are read is sent at once.
      pipeline.addLast(new FlushConsolidationHandler());
      tls.ifPresent(secured -> pipeline.addLast(handler(secured, accepted)));
      Connection connection =
          new Connection(service.orElseThrow(), accepted, options, budget, answers);
      pipeline.addLast(connection.handlers(options));
      connections.put(accepted, connection);
      accepted.closeFuture().addListener(closed -> connections.remove(accepted));
    }

    private SslHandler handler(Tls secured, SocketChannel accepted) {
      SslHandler handler = secured.handler(accepted.alloc());
      InetSocketAddress remote = accepted.remoteAddress();
      handler
          .handshakeFuture()
          .addListener(
              done -> {
                Throwable cause = done.cause();
                if (cause instanceof SSLException failed) {
                  handshakes.ifAdmitted(more -> logFailed(remote, failed, more));
                }
              });
      return handler;
    }

    /** Logs a failed handshake, whose reason may contain text that the client has sent. */
    private static void logFailed(InetSocketAddress remote, SSLException cause, String more) {
      LOG.warn(
          "the TLS handshake with {} failed, and the connection is closed: {}{}",
          remote,
          cause instanceof NotSslRecordException
              ? "the client does not use TLS"
              : PrintableText.of(String.valueOf(cause.getMessage())),
          more);
    }

    /** Before a TLS handshake there are no words. */
    private void refuse(SocketChannel accepted) {
      refusals.ifAdmitted(
          more ->
              LOG.warn(
                  "{} is refused: there are {} connections{}",
                  accepted,
                  options.maxConnections(),
                  more));
      accepted.pipeline().addLast(new Quiet());
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

  /** Where a connection ends that is closed: what it sends, or breaks off with, is no news. */
  static final class Quiet extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
      boolean unused = ReferenceCountUtil.release(bytes);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      LOG.debug("{} is closed", context.channel(), cause);
      var unused = context.close();
    }
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) channel.localAddress();
  }

  /** Has every connection say that it is alive whose call takes longer than this. */
  public void sayAlive(long nanos) {
    connections.values().forEach(connection -> connection.session().sayAlive(nanos));
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
