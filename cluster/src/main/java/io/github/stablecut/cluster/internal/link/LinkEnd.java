package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.internal.logging.LogLimit;
import io.github.stablecut.cluster.internal.wire.BadMessageException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One end of a link. Whatever is wrong with what the other end sends closes the connection, which
 * is no news: another way leads to every node. Events come on the event loop.
 */
abstract class LinkEnd extends SimpleChannelInboundHandler<LinkFrame> {
  /** How long the two handshakes may take together. */
  static final Duration HANDSHAKE = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(LinkEnd.class);
  private static final LogLimit REFUSALS = new LogLimit(1, Duration.ofMinutes(1), System::nanoTime);

  final SocketChannel channel;

  /** Whether both ends know each other. */
  volatile boolean isReady;

  LinkEnd(SocketChannel channel) {
    this.channel = channel;
  }

  /** Begins with the handshakes. On the event loop. */
  final void begin(SSLEngine engine) {
    SslHandler tls = new SslHandler(engine);
    tls.setHandshakeTimeoutMillis(0);
    channel
        .pipeline()
        .addLast(
            // What is answered while requests are read is sent at once.
            new FlushConsolidationHandler(), tls, new LinkFrame.Decoder(), this);
    ScheduledFuture<?> handshake =
        channel
            .eventLoop()
            .schedule(
                () -> {
                  if (!isReady) {
                    close("no handshake in " + HANDSHAKE);
                  }
                },
                HANDSHAKE.toNanos(),
                TimeUnit.NANOSECONDS);
    channel.closeFuture().addListener(closed -> handshake.cancel(false));
  }

  @Override
  public final void userEventTriggered(ChannelHandlerContext context, Object event)
      throws Exception {
    if (event instanceof SslHandshakeCompletionEvent handshake && handshake.isSuccess()) {
      secured(context.pipeline().get(SslHandler.class).engine());
    }
    context.fireUserEventTriggered(event);
  }

  /** The TLS handshake has succeeded. */
  abstract void secured(SSLEngine engine) throws Exception;

  final void write(LinkFrame frame) {
    var unused =
        channel.writeAndFlush(LinkFrame.encode(channel.alloc(), frame), channel.voidPromise());
  }

  final void close(String why) {
    LOG.debug("{} is closed: {}", channel, why);
    var unused = channel.close();
  }

  /** Closes the connection, of which an operator should know why. */
  final void refuse(String why) {
    REFUSALS
        .admit()
        .ifPresent(
            leftOut ->
                LOG.warn("the link {} is closed: {}{}", channel, why, LogLimit.suffix(leftOut)));
    var unused = channel.close();
  }

  @Override
  public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    boolean isOfPeer =
        cause instanceof IOException
            || cause instanceof DecoderException
            || cause instanceof BadMessageException;
    if (isOfPeer) {
      close(String.valueOf(cause));
    } else {
      LOG.error("the link {} is closed after an error", channel, cause);
      var unused = channel.close();
    }
  }
}
