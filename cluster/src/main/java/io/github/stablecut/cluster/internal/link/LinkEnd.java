package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.internal.remote.LargeMessages;
import io.github.stablecut.cluster.internal.remote.Links;
import io.github.stablecut.cluster.internal.remote.RequestEnvelope;
import io.github.stablecut.cluster.internal.remote.Requester;
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
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * One end of a link. Any error of the other end closes the connection. Netty's events arrive on the
 * event loop; sending is thread-safe.
 */
abstract class LinkEnd extends SimpleChannelInboundHandler<LinkFrame> {
  /** The timeout of the TLS handshake and the links' own handshake together. */
  static final Duration HANDSHAKE = Duration.ofSeconds(10);

  private static final Logger LOG = Log.of(LinkEnd.class);
  private static final LogLimit REFUSALS = new LogLimit(1, Duration.ofMinutes(1), System::nanoTime);

  /** The number of violations of the protocol, in this process. */
  private static final AtomicLong VIOLATIONS = new AtomicLong();

  final SocketChannel channel;
  final LinkHandler handler;

  /** Sends large messages; null on a link for small ones. */
  private volatile @Nullable BulkSender bulk;

  /** Receives large messages; null on a link for small ones. Confined to the event loop. */
  private @Nullable BulkReceiver chunks;

  /** Whether both ends have identified each other. */
  volatile boolean isReady;

  /** Whether it is closed or closing: received frames are dropped. */
  private volatile boolean isEnding;

  /** The reason for its closing; empty if the other end has closed it. */
  private volatile String reason = "";

  /** Whether the other end's certificate has been checked. Confined to the event loop. */
  private boolean isChecked;

  /** The frame received before the check. Confined to the event loop. */
  private @Nullable LinkFrame early;

  LinkEnd(SocketChannel channel, LinkHandler handler) {
    this.channel = channel;
    this.handler = handler;
  }

  /** Returns the number of violations of the protocol, in this process. */
  static long violations() {
    return VIOLATIONS.get();
  }

  /** Makes this a link for large messages. */
  final void carryLarge() {
    bulk = new BulkSender(channel);
    chunks = new BulkReceiver(this::begin, this::handle);
  }

  /** Returns whether this is a link for large messages. */
  final boolean isBulk() {
    return bulk != null;
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

  /** Returns the other end as the sender of a request. */
  abstract Requester requester();

  /** Handles a frame with a message, or a part of one, from an identified end. */
  final void receivedMessage(LinkFrame frame) {
    BulkReceiver large = chunks;
    if (frame instanceof LinkFrame.Content content && !Links.isLarge(content.bytes())) {
      handle(content, () -> {});
    } else if (frame instanceof LinkFrame.First first && large != null) {
      large.first(first);
    } else if (frame instanceof LinkFrame.Next next && large != null) {
      large.next(next);
    } else if (frame instanceof LinkFrame.Abort abort && large != null) {
      large.abort(abort);
    } else {
      throw new BadMessageException("an unexpected frame");
    }
  }

  /** Handles a complete message. */
  private void handle(LinkFrame.Content content, Runnable done) {
    if (content instanceof LinkFrame.Request request) {
      handler.onRequest(envelope(request), done);
    } else if (content instanceof LinkFrame.Reply reply) {
      handler.onReply(reply.number(), reply.clock(), reply.bytes(), done);
    } else if (content instanceof LinkFrame.DriverReply answer) {
      handler.onDriverReply(answer.driver(), answer.clock(), answer.bytes());
      done.run();
    }
  }

  private LargeMessages.Incoming begin(LinkFrame.Content first) {
    if (first instanceof LinkFrame.Request request) {
      return handler.large().request(envelope(request));
    } else if (first instanceof LinkFrame.Reply reply) {
      return handler.large().reply(reply.number());
    }
    return handler.large().driverReply();
  }

  private RequestEnvelope envelope(LinkFrame.Request request) {
    return new RequestEnvelope(
        request.partition(),
        request.epoch(),
        request.number(),
        request.clock(),
        requester(),
        request.bytes());
  }

  /** Sends a large message, as {@link BulkSender#send}. */
  final void sendLarge(long number, LinkFrame.Content content, Consumer<Boolean> done) {
    Objects.requireNonNull(bulk).send(number, content, done);
  }

  /** Drops the rest of a large message. */
  final void forget(long number) {
    BulkSender sender = bulk;
    if (sender != null) {
      sender.forget(number);
    }
  }

  /** Continues to send large messages once the channel takes more. */
  final void sendMore() {
    BulkSender sender = bulk;
    if (sender != null && channel.isWritable()) {
      sender.pump();
    }
  }

  /** Ends all messages when the connection has. */
  @Override
  public void channelInactive(ChannelHandlerContext context) {
    isReady = false;
    BulkSender sender = bulk;
    if (sender != null) {
      sender.close();
    }
    BulkReceiver receiver = chunks;
    if (receiver != null) {
      receiver.close();
    }
    ended();
    context.fireChannelInactive();
  }

  /** Handles the end of the connection. */
  abstract void ended();

  /** Returns why it was closed; empty if the other end has closed it. */
  final String reason() {
    return reason;
  }

  /** Returns whether the handshakes are in progress. */
  final boolean isBeginning() {
    return !isReady && !isEnding && channel.isOpen();
  }

  /** Writes a frame; returns false if the link is not ready, or without direct memory. */
  final boolean tryWrite(LinkFrame frame) {
    if (!isReady) {
      return false;
    }
    try {
      write(frame);
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  /** Sends a frame; a failure reaches the handler as an exception, which closes the channel. */
  @SuppressWarnings("FutureReturnValueIgnored") // the void promise
  final void write(LinkFrame frame) {
    channel.writeAndFlush(LinkFrame.encode(channel.alloc(), frame), channel.voidPromise());
  }

  final void close(String why) {
    LOG.debug("closed {}: {}", channel, why);
    end(why);
  }

  /** Closes the channel and stops its use at once, though its last bytes may be delayed. */
  private void end(String why) {
    reason = why;
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
    VIOLATIONS.incrementAndGet();
    REFUSALS.ifAdmitted(more -> LOG.warn("closed the link {}: {}{}", channel, why, more));
    end(why);
  }

  @Override
  public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    failed(cause);
  }

  private void failed(Throwable cause) {
    Throwable root =
        cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
    if (root instanceof BadMessageException) {
      refuse(String.valueOf(root.getMessage()));
    } else if (root instanceof IOException || cause instanceof DecoderException) {
      close(String.valueOf(cause));
    } else {
      LOG.error("closed the link {} after an error", channel, cause);
      end(cause.toString());
    }
  }
}
