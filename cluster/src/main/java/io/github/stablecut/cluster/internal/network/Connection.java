package io.github.stablecut.cluster.internal.network;

import io.github.stablecut.cluster.internal.service.Peer;
import io.github.stablecut.cluster.internal.service.Service;
import io.github.stablecut.cluster.internal.service.Session;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.timeout.IdleStateEvent;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection: hands frames to a session and sends what it answers. Events come on the
 * event loop; as a {@link Peer} it is thread-safe.
 */
final class Connection extends SimpleChannelInboundHandler<FrameDecoder.Frame> implements Peer {
  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

  /** With more unsent than this no more requests of the connection are executed. */
  private static final long HIGH_BYTES = 1 << 20;

  private final Channel channel;
  private final FrameDecoder decoder;
  private final MemoryBudget budget;
  private final Session session;

  /** What was handed over for sending and is not in the socket yet. */
  private final AtomicLong unsentBytes = new AtomicLong();

  Connection(Service service, Channel channel, FrameDecoder decoder, MemoryBudget budget) {
    this.channel = channel;
    this.decoder = decoder;
    this.budget = budget;
    this.session = service.connect(this);
  }

  Session session() {
    return session;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext unused, FrameDecoder.Frame frame) {
    if (frame.error().isEmpty()) {
      session.received(frame.chunks(), () -> giveBack(frame.claimed()));
    } else {
      session.fail(frame.error());
    }
  }

  private void giveBack(long claimed) {
    if (claimed > 0) {
      budget.giveBack(claimed);
    }
  }

  @Override
  public void send(List<ByteBuffer> frame) {
    ByteBuf bytes = Unpooled.wrappedBuffer(frame.toArray(ByteBuffer[]::new));
    int length = bytes.readableBytes();
    var unused = unsentBytes.addAndGet(length);
    channel.writeAndFlush(bytes).addListener(done -> sent(length));
  }

  private void sent(int length) {
    long after = unsentBytes.addAndGet(-length);
    if (after < HIGH_BYTES && after + length >= HIGH_BYTES) {
      session.proceed();
    }
  }

  @Override
  public boolean isWritable() {
    return unsentBytes.get() < HIGH_BYTES;
  }

  @Override
  public void read(boolean reading) {
    channel
        .eventLoop()
        .execute(
            () -> {
              if (!reading || !decoder.isWaiting()) {
                channel.config().setAutoRead(reading);
              }
            });
  }

  @Override
  public void close() {
    channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
  }

  @Override
  public void channelInactive(ChannelHandlerContext unused) {
    session.disconnected();
  }

  /** Nothing was read or written for the idle time: the client is away, or doesn't read. */
  @Override
  public void userEventTriggered(ChannelHandlerContext current, Object event) {
    if (event instanceof IdleStateEvent && (session.isIdle() || unsentBytes.get() > 0)) {
      LOG.debug("{} was idle and is closed", current.channel());
      var unused = current.close();
    } else {
      current.fireUserEventTriggered(event);
    }
  }

  /** A broken connection or a failed handshake concerns nobody else. */
  @Override
  public void exceptionCaught(ChannelHandlerContext current, Throwable cause) {
    LOG.debug("{} is closed", current.channel(), cause);
    var unused = current.close();
  }
}
