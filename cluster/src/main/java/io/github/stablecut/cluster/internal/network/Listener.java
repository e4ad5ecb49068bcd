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

/** Listens on the protocol's port and owns its connections. Thread-safe. */
public final class Listener {
  /**
   * The time for which a stopping server refuses requests before it closes idle connections. Longer
   * than a client reuses a connection untested, so that it sends none that is lost unread.
   */
  private static final Duration REFUSING = Duration.ofMillis(250);

  /** The time for which a large answer waits for memory, until clients have taken other answers. */
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);

  private static final Logger LOG = Log.of(Listener.class);

  /** Limits of the bytes passed to a socket and not yet sent, which are outside the heap. */
  private static final WriteBufferWaterMark UNSENT = new WriteBufferWaterMark(16 << 10, 32 << 10);

  /** Sizes of a read from a socket, in bytes; its buffer is outside the heap. */
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

  /** Serves the connections; empty until {@link #serve}. */
  private volatile Optional<Service> service = Optional.empty();

  /**
   * Binds the port. Clients that connect wait until {@link #serve}.
   *
   * @throws BindFailedException if binding fails
   */
  public Listener(
      EventLoops loops, InetSocketAddress address, ListenerOptions options, Optional<Tls> tls) {
    this.options = options;
    this.tls = tls;
    this.budget = new MemoryBudget(options.largeRequestBytes());
    this.answers = new AnswerBudget(options.unsentBytes(), ANSWER_TIMEOUT);
    this.channel = bind(loops, address, new Initializer(), false);
  }

  /** Starts to accept connections. */
  public void serve(Service served) {
    service = Optional.of(served);
    channel.config().setAutoRead(true);
  }

  /**
   * Binds a port.
   *
   * @param accepts whether to accept connections immediately
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
      // Answers to the requests of one read are flushed together.
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
          "closed the connection to {}, whose TLS handshake failed: {}{}",
          remote,
          cause instanceof NotSslRecordException
              ? "the client does not use TLS"
              : PrintableText.of(String.valueOf(cause.getMessage())),
          more);
    }

    /** Refuses a connection; with TLS, no message can be sent before the handshake. */
    private void refuse(SocketChannel accepted) {
      refusals.ifAdmitted(
          more ->
              LOG.warn(
                  "refused {}: {} connections are open, the maximum (max-connections){}",
                  accepted,
                  options.maxConnections(),
                  more));
      accepted.pipeline().addLast(new Quiet());
      Response busy =
          new Response.Failed(
              ErrorCode.BUSY,
              "%,d connections are open, as many as the server allows: close some, or raise max-connections"
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

  /** Discards everything that a connection still sends while it is being closed. */
  static final class Quiet extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
      ReferenceCountUtil.release(bytes);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      LOG.debug("closed {} after an error", context.channel(), cause);
      Channels.close(context);
    }
  }

  /** Returns the address on which it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) channel.localAddress();
  }

  /** Sends a keep-alive on every connection whose call has taken at least some time. */
  public void sayAlive(long nanos) {
    connections.values().forEach(connection -> connection.session().sayAlive(nanos));
  }

  /** Returns the number of connections. */
  public int connections() {
    return connections.size();
  }

  /**
   * Accepts no more connections, answers the received requests, refuses those that arrive within
   * {@link #REFUSING}, and waits until clients have taken the answers.
   *
   * @param nanos how long to wait before closing the open connections
   */
  public void close(long nanos) {
    await(channel.close(), nanos);
    connections.values().forEach(connection -> connection.session().refuse());
    long deadlineNanos = System.nanoTime() + nanos;
    awaitClosed(Math.min(deadlineNanos, System.nanoTime() + REFUSING.toNanos()));
    connections.values().forEach(connection -> connection.session().finish());
    awaitClosed(deadlineNanos);
    for (Channel open : connections.keySet()) {
      Channels.close(open);
    }
  }

  private void awaitClosed(long deadlineNanos) {
    for (Channel open : connections.keySet()) {
      await(open.closeFuture(), deadlineNanos - System.nanoTime());
    }
  }

  private static void await(ChannelFuture future, long nanos) {
    future.awaitUninterruptibly(Math.max(0, nanos), TimeUnit.NANOSECONDS);
  }
}
