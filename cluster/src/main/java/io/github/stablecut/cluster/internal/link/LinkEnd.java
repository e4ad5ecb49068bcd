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
 * One end of a link. Any error of the other end closes the connection, without a warning, since
 * messages also travel through Akka. Netty's events arrive on the event loop.
 */
abstract class LinkEnd extends SimpleChannelInboundHandler<LinkFrame> {
  /** The timeout of the TLS handshake and the links' own handshake together. */
  static final Duration HANDSHAKE = Duration.ofSeconds(10);

  private static final Logger LOG = Log.of(LinkEnd.class);
  private static final LogLimit REFUSALS = new LogLimit(1, Duration.ofMinutes(1), System::nanoTime);

  final SocketChannel channel;

  /** Whether both ends have identified each other. */
  volatile boolean isReady;

  /** Whether it is closed or closing: received frames are dropped. */
  private volatile boolean isEnding;

  /** Whether the other end's certificate has been checked. Confined to the event loop. */
  private boolean isChecked;

  /** The frame received before the check. Confined to the event loop. */
  private @Nullable LinkFrame early;

  LinkEnd(SocketChannel channel) {
    this.channel = channel;
  }

  /**
   * Starts the handshakes. Called on the event loop.
   *
   * @param executor checks the other end's certificate, which may read files
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
            // Replies to the requests of one read are flushed together.
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
      // The executor is closed or can't start a thread.
      close(String.valueOf(e));
    }
  }

  /** Checks what the TLS handshake does not. Called outside the event loop. */
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

  /** Handles the successful check of the other end. */
  void secured() {
    // The connecting end sends the first frame.
  }

  /** Buffers one early frame: the connecting end sends no second before the answer to the first. */
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
      refuse("its other end violated the protocol");
    }
  }

  /** Handles a frame from a checked end. */
  abstract void received(LinkFrame frame);

  /** Returns whether the handshakes are in progress. */
  final boolean isBeginning() {
    return !isReady && !isEnding && channel.isOpen();
  }

  /** Sends a frame; a failure reaches the handler as an exception, which closes the channel. */
  @SuppressWarnings("FutureReturnValueIgnored") // the void promise
  final void write(LinkFrame frame) {
    channel.writeAndFlush(LinkFrame.encode(channel.alloc(), frame), channel.voidPromise());
  }

  final void close(String why) {
    LOG.debug("closed {}: {}", channel, why);
    end();
  }

  /** Closes the channel and stops its use at once, though its last bytes may be delayed. */
  private void end() {
    isEnding = true;
    isReady = false;
    channel
        .close()
        .addListener(
            closed -> {
              if (!closed.isSuccess()) {
                LOG.debug("{} could not be closed", channel, closed.cause());
              }
            });
  }

  /** Closes the connection, with a warning. */
  final void refuse(String why) {
    REFUSALS.ifAdmitted(more -> LOG.warn("closed the link {}: {}{}", channel, why, more));
    end();
  }

  @Override
  public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    failed(cause);
  }

  private void failed(Throwable cause) {
    boolean isPeerFault =
        cause instanceof IOException
            || cause instanceof DecoderException
            || cause instanceof BadMessageException;
    if (isPeerFault) {
      close(String.valueOf(cause));
    } else {
      LOG.error("closed the link {} after an error", channel, cause);
      end();
    }
  }
}
