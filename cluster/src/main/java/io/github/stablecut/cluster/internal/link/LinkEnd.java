package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.internal.wire.BadMessageException;
import io.github.stablecut.log.Log;
import io.github.stablecut.log.LogLimit;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * One end of a link. Whatever is wrong with what the other end sends closes the connection, which
 * is no news: another way leads to every node. Events come on the event loop.
 */
abstract class LinkEnd extends SimpleChannelInboundHandler<LinkFrame> {
  /** How long the two handshakes may take together. */
  static final Duration HANDSHAKE = Duration.ofSeconds(10);

  private static final Logger LOG = Log.of(LinkEnd.class);
  private static final LogLimit REFUSALS = new LogLimit(1, Duration.ofMinutes(1), System::nanoTime);

  final SocketChannel channel;

  /** Whether both ends know each other. */
  volatile boolean isReady;

  /** Whether it is closed, or about to be: nothing that comes is handled any more. */
  private volatile boolean isEnding;

  /** Whether the other end is known to be a node of the cluster. On the event loop. */
  private boolean isChecked;

  /** The frame that has come before that. On the event loop. */
  private @Nullable LinkFrame early;

  LinkEnd(SocketChannel channel) {
    this.channel = channel;
  }

  /**
   * Begins with the handshakes. On the event loop.
   *
   * @param executor checks who is at the other end, for which it may read files
   */
  final void begin(SSLEngine engine, Executor executor) {
    SslHandler tls = new SslHandler(engine);
    tls.setHandshakeTimeoutMillis(0);
    tls.handshakeFuture()
        .addListener(
            made -> {
              if (made.isSuccess()) {
                check(engine.getSession(), executor);
              }
            });
    channel
        .pipeline()
        .addLast(
            // What is answered while requests are read is sent at once.
            new FlushConsolidationHandler(), tls, new LinkFrame.Decoder(() -> isEnding), this);
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

  private void check(SSLSession session, Executor executor) {
    try {
      executor.execute(
          () -> {
            try {
              check(session);
              channel.eventLoop().execute(this::checked);
            } catch (RejectedExecutionException e) {
              close("the node is closed");
            } catch (SSLException | RuntimeException | Error e) {
              failed(e);
            }
          });
    } catch (RuntimeException | Error e) {
      // Closed, or there is no memory for a thread.
      close(String.valueOf(e));
    }
  }

  /** Checks of the other end what the TLS handshake does not. Not on the event loop. */
  abstract void check(SSLSession session) throws SSLException;

  private void checked() {
    if (isEnding) {
      return;
    }
    isChecked = true;
    secured();
    LinkFrame first = early;
    early = null;
    if (first != null) {
      try {
        received(first);
      } catch (RuntimeException | Error e) {
        failed(e);
      }
    }
  }

  /** The other end is a node of the cluster. */
  void secured() {
    // It speaks first.
  }

  /** Before the end that accepts has answered the first frame, the other one sends no second. */
  @Override
  protected final void channelRead0(ChannelHandlerContext context, LinkFrame frame) {
    if (isEnding) {
      return;
    }
    if (isChecked) {
      received(frame);
    } else if (early == null) {
      early = frame;
    } else {
      refuse("its other end has sent what it may not");
    }
  }

  /** A frame has come from a node of the cluster. */
  abstract void received(LinkFrame frame);

  /** Whether it is not known yet which node is at the other end. */
  final boolean isBeginning() {
    return !isReady && !isEnding && channel.isOpen();
  }

  final void write(LinkFrame frame) {
    var unused =
        channel.writeAndFlush(LinkFrame.encode(channel.alloc(), frame), channel.voidPromise());
  }

  final void close(String why) {
    LOG.debug("{} is closed: {}", channel, why);
    end();
  }

  /** Its last bytes may have to wait: meanwhile it is not used. */
  private void end() {
    isEnding = true;
    isReady = false;
    var unused = channel.close();
  }

  /** Closes the connection, of which an operator should know why. */
  final void refuse(String why) {
    REFUSALS.ifAdmitted(more -> LOG.warn("the link {} is closed: {}{}", channel, why, more));
    end();
  }

  @Override
  public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    failed(cause);
  }

  private void failed(Throwable cause) {
    boolean isOfPeer =
        cause instanceof IOException
            || cause instanceof DecoderException
            || cause instanceof BadMessageException;
    if (isOfPeer) {
      close(String.valueOf(cause));
    } else {
      LOG.error("the link {} is closed after an error", channel, cause);
      end();
    }
  }
}
