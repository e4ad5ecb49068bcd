package io.github.stablecut.cluster.internal.network;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.github.stablecut.cluster.internal.service.Peer;
import io.github.stablecut.cluster.internal.service.Service;
import io.github.stablecut.cluster.internal.service.Session;
import io.github.stablecut.cluster.internal.service.handle.NanoClock;
import io.github.stablecut.cluster.internal.service.handle.Origin;
import io.github.stablecut.log.Log;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.stream.ChunkedStream;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.netty.handler.timeout.IdleState;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A client's connection: passes frames to a session and sends its answers. Netty's events arrive on
 * the event loop; the {@link Peer} is thread-safe.
 */
final class Connection extends SimpleChannelInboundHandler<FrameDecoder.Frame> implements Peer {
  private static final Logger LOG = Log.of(Connection.class);

  /** With more unsent bytes, the connection's requests are not executed. */
  private static final long HIGH_BYTES = 256 << 10;

  /**
   * The part of a large answer that is passed to the socket at once. The JVM copies this to direct
   * memory, of which all connections together may use as much as the maximum heap.
   */
  private static final int PIECE_BYTES = 16 << 10;

  private final Channel channel;
  private final FrameDecoder decoder;
  private final AnswerBudget answers;
  private final Session session;

  /** Bytes submitted for sending and not yet written to the socket. */
  private final AtomicLong unsentBytes = new AtomicLong();

  /** The number of answers of other threads that are queued for the event loop. */
  private final AtomicInteger queuedAnswers = new AtomicInteger();

  private final NanoClock clock;
  private final long stallNanos;

  /** The client's address, which a closed channel no longer knows. */
  private final SocketAddress remote;

  private volatile @Nullable Origin origin;

  /** The time at which an answer was submitted while nothing else was unsent. */
  private volatile long offeredNanos;

  /**
   * @param budget the memory for large requests
   * @param answers the memory for unsent answers of all connections
   */
  Connection(
      Service service,
      Channel channel,
      ListenerOptions options,
      MemoryBudget budget,
      AnswerBudget answers) {
    this.channel = channel;
    this.remote = channel.remoteAddress();
    this.answers = answers;
    this.clock = service.clock();
    this.stallNanos = options.stall().toNanos();
    this.session = service.connect(this);
    this.decoder =
        new FrameDecoder(
            options.maxRequestBytes(),
            budget,
            new FrameDecoder.Timeouts(options.request(), options.stall()),
            session::isTaking);
  }

  /** Returns the handlers of the channel's pipeline, after encryption. */
  ChannelHandler[] handlers(ListenerOptions options) {
    return new ChannelHandler[] {
      new IdleStateHandler(
          true, 0, options.stall().toMillis(), options.idle().toMillis(), MILLISECONDS),
      // Answers wait in the heap until the socket takes more.
      new ChunkedWriteHandler(),
      decoder,
      this
    };
  }

  Session session() {
    return session;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, FrameDecoder.Frame frame) {
    if (frame instanceof FrameDecoder.CompleteFrame whole) {
      try {
        session.received(whole.chunks(), whole.release());
      } catch (RuntimeException | Error e) {
        whole.release().run();
        throw e;
      }
    } else if (frame instanceof FrameDecoder.Refused refused) {
      session.fail(refused.code(), refused.why());
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    session.rested();
    context.fireChannelReadComplete();
  }

  @Override
  public boolean send(long minBytes, Supplier<List<ByteBuffer>> frame) {
    if (!tryReserve(minBytes)) {
      return false;
    }
    ByteBuf bytes;
    try {
      bytes = Unpooled.wrappedBuffer(frame.get().toArray(ByteBuffer[]::new));
    } finally {
      answers.giveBack(minBytes);
    }
    int length = bytes.readableBytes();
    if (!tryReserve(length)) {
      return false;
    }
    if (unsentBytes.get() == 0) {
      // Set before the bytes count as unsent.
      offeredNanos = clock.nanos();
    }
    unsentBytes.addAndGet(length);
    MemoryRelease sent = new MemoryRelease(length);
    try {
      Object message =
          length <= PIECE_BYTES
              ? bytes
              : new ChunkedStream(new ByteBufInputStream(bytes, true), PIECE_BYTES);
      if (channel.eventLoop().inEventLoop()) {
        write(message, sent);
      } else {
        enqueue(message, sent);
      }
    } catch (RuntimeException | Error e) {
      fail(sent);
      throw e;
    }
    return true;
  }

  private void write(Object message, MemoryRelease sent) {
    channel.writeAndFlush(message).addListener(sent);
  }

  /** Queues an answer for the event loop, and counts it until the loop writes it. */
  private void enqueue(Object message, MemoryRelease sent) {
    queuedAnswers.incrementAndGet();
    boolean isQueued = false;
    try {
      channel
          .eventLoop()
          .execute(
              () -> {
                queuedAnswers.decrementAndGet();
                try {
                  write(message, sent);
                } catch (RuntimeException | Error e) {
                  fail(sent);
                  throw e;
                }
              });
      isQueued = true;
    } finally {
      if (!isQueued) {
        queuedAnswers.decrementAndGet();
      }
    }
  }

  /** Closes the connection after a failed send: an unknown part of the answer was sent. */
  private void fail(MemoryRelease sent) {
    sent.end();
    Channels.close(channel);
  }

  /** Reserves memory for an answer; the event loop never waits for it. */
  private boolean tryReserve(long bytes) {
    return channel.eventLoop().inEventLoop() ? answers.takeNow(bytes) : answers.take(bytes);
  }

  /** Releases an answer's memory, once. */
  private final class MemoryRelease implements ChannelFutureListener {
    private final int length;
    private final AtomicBoolean isOver = new AtomicBoolean();

    MemoryRelease(int length) {
      this.length = length;
    }

    @Override
    public void operationComplete(ChannelFuture done) {
      end();
    }

    void end() {
      if (isOver.getAndSet(true)) {
        return;
      }
      answers.giveBack(length);
      long after = unsentBytes.addAndGet(-length);
      if (after < HIGH_BYTES && after + length >= HIGH_BYTES) {
        session.proceed();
      }
    }
  }

  @Override
  public boolean isWritable() {
    return unsentBytes.get() < HIGH_BYTES;
  }

  @Override
  public boolean mayReaderSend() {
    return queuedAnswers.get() == 0;
  }

  @Override
  public void read(boolean reading) {
    if (!reading && channel.eventLoop().inEventLoop()) {
      // Immediately, so that no further frame is decoded.
      applyReading();
    } else {
      channel.eventLoop().execute(this::applyReading);
    }
  }

  /** Pauses or resumes reading, according to the session's current state. */
  private void applyReading() {
    boolean reading = session.isTaking();
    if (!reading || !decoder.isWaiting()) {
      channel.config().setAutoRead(reading);
    }
    if (reading) {
      decoder.resume();
    }
  }

  @Override
  public Executor reader() {
    return channel.eventLoop();
  }

  @Override
  public Origin origin() {
    Origin current = origin;
    if (current == null) {
      current = Origins.of(channel, remote);
      origin = current;
    }
    return current;
  }

  @Override
  public void close() {
    channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    session.disconnected();
  }

  /** Closes the connection if the client is idle or does not take its answers. */
  @Override
  public void userEventTriggered(ChannelHandlerContext current, Object event) {
    if (event instanceof IdleStateEvent idle
        && (isStalled() || (idle.state() == IdleState.ALL_IDLE && session.isIdle()))) {
      LOG.debug("closed idle {}", current.channel());
      Channels.close(current);
    } else {
      current.fireUserEventTriggered(event);
    }
  }

  /**
   * Returns whether the client has taken nothing for too long. Netty's idle event alone does not
   * prove this: the answer may have taken that long to compute, and have been submitted just now.
   */
  private boolean isStalled() {
    return unsentBytes.get() > 0 && clock.nanos() - offeredNanos >= stallNanos;
  }

  /** Closes this connection after an error, such as a reset or a failed handshake. */
  @Override
  public void exceptionCaught(ChannelHandlerContext current, Throwable cause) {
    LOG.debug("closed {} after an error", current.channel(), cause);
    Channels.close(current);
  }
}
