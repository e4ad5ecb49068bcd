package io.github.stablecut.cluster.internal.network;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.github.stablecut.cluster.internal.service.NanoClock;
import io.github.stablecut.cluster.internal.service.Origin;
import io.github.stablecut.cluster.internal.service.Peer;
import io.github.stablecut.cluster.internal.service.Service;
import io.github.stablecut.cluster.internal.service.Session;
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
 * One client's connection: hands frames to a session and sends what it answers. Events come on the
 * event loop; as a {@link Peer} it is thread-safe.
 */
final class Connection extends SimpleChannelInboundHandler<FrameDecoder.Frame> implements Peer {
  private static final Logger LOG = Log.of(Connection.class);

  /** With more unsent than this no more requests of the connection are executed. */
  private static final long HIGH_BYTES = 256 << 10;

  /**
   * What the socket is given of a large answer at once. What it is given is copied out of the heap,
   * to memory that the JVM allows as much of as of heap for all connections together.
   */
  private static final int PIECE_BYTES = 16 << 10;

  private final Channel channel;
  private final FrameDecoder decoder;
  private final AnswerBudget answers;
  private final Session session;

  /** What was handed over for sending and is not in the socket yet. */
  private final AtomicLong unsentBytes = new AtomicLong();

  /** How many answers of other threads the event loop has still to write. */
  private final AtomicInteger handedOver = new AtomicInteger();

  private final NanoClock clock;
  private final long stallNanos;

  /** Known before it is closed. */
  private final SocketAddress remote;

  private volatile @Nullable Origin origin;

  /** When something was handed over and nothing else was unsent. */
  private volatile long offeredNanos;

  /**
   * @param budget of large requests
   * @param answers of all connections
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
            new FrameDecoder.Times(options.request(), options.stall()),
            session::isTaking);
  }

  /** What the channel's pipeline consists of, behind encryption. */
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
  protected void channelRead0(ChannelHandlerContext unused, FrameDecoder.Frame frame) {
    if (frame instanceof FrameDecoder.Whole whole) {
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
  public boolean send(long atLeast, Supplier<List<ByteBuffer>> frame) {
    if (!isTaken(atLeast)) {
      return false;
    }
    ByteBuf bytes;
    try {
      bytes = Unpooled.wrappedBuffer(frame.get().toArray(ByteBuffer[]::new));
    } finally {
      answers.giveBack(atLeast);
    }
    int length = bytes.readableBytes();
    if (!isTaken(length)) {
      return false;
    }
    if (unsentBytes.get() == 0) {
      // Before it counts as unsent.
      offeredNanos = clock.nanos();
    }
    var unused = unsentBytes.addAndGet(length);
    Sent sent = new Sent(length);
    try {
      Object message =
          length <= PIECE_BYTES
              ? bytes
              : new ChunkedStream(new ByteBufInputStream(bytes, true), PIECE_BYTES);
      if (channel.eventLoop().inEventLoop()) {
        write(message, sent);
      } else {
        handOver(message, sent);
      }
    } catch (RuntimeException | Error e) {
      fail(sent);
      throw e;
    }
    return true;
  }

  private void write(Object message, Sent sent) {
    channel.writeAndFlush(message).addListener(sent);
  }

  /** Has the event loop write an answer, which knows until then that it comes first. */
  private void handOver(Object message, Sent sent) {
    int unused = handedOver.incrementAndGet();
    boolean isTaken = false;
    try {
      channel
          .eventLoop()
          .execute(
              () -> {
                int unusedLeft = handedOver.decrementAndGet();
                try {
                  write(message, sent);
                } catch (RuntimeException | Error e) {
                  fail(sent);
                  throw e;
                }
              });
      isTaken = true;
    } finally {
      if (!isTaken) {
        unused = handedOver.decrementAndGet();
      }
    }
  }

  /** Nobody knows what of an answer was sent. */
  private void fail(Sent sent) {
    sent.end();
    var unused = channel.close();
  }

  /** An event loop waits for nothing. */
  private boolean isTaken(long bytes) {
    return channel.eventLoop().inEventLoop() ? answers.takeNow(bytes) : answers.take(bytes);
  }

  /** Gives back what an answer has taken, once. */
  private final class Sent implements ChannelFutureListener {
    private final int length;
    private final AtomicBoolean isOver = new AtomicBoolean();

    Sent(int length) {
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
    return handedOver.get() == 0;
  }

  @Override
  public void read(boolean reading) {
    if (!reading && channel.eventLoop().inEventLoop()) {
      // At once, so that what is being read now is the last.
      readAsWanted();
    } else {
      channel.eventLoop().execute(this::readAsWanted);
    }
  }

  /** Reads or not, as the session wants by now. */
  private void readAsWanted() {
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
    Origin known = origin;
    if (known == null) {
      known = Origins.of(channel, remote);
      origin = known;
    }
    return known;
  }

  @Override
  public void close() {
    channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
  }

  @Override
  public void channelInactive(ChannelHandlerContext unused) {
    session.disconnected();
  }

  /** The client is away, or takes nothing of an answer. */
  @Override
  public void userEventTriggered(ChannelHandlerContext current, Object event) {
    if (event instanceof IdleStateEvent idle
        && (isStalled() || (idle.state() == IdleState.ALL_IDLE && session.isIdle()))) {
      LOG.debug("{} was idle and is closed", current.channel());
      var unused = current.close();
    } else {
      current.fireUserEventTriggered(event);
    }
  }

  /**
   * Whether the client has taken nothing for too long, of which nothing was written is only a sign:
   * an answer that took as long to be made was offered just now.
   */
  private boolean isStalled() {
    return unsentBytes.get() > 0 && clock.nanos() - offeredNanos >= stallNanos;
  }

  /** A broken connection or a failed handshake concerns nobody else. */
  @Override
  public void exceptionCaught(ChannelHandlerContext current, Throwable cause) {
    LOG.debug("{} is closed", current.channel(), cause);
    var unused = current.close();
  }
}
