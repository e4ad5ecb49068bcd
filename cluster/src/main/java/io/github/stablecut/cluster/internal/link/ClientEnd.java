package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.cluster.internal.remote.NodeTls;
import io.github.stablecut.cluster.internal.remote.Requester;
import io.github.stablecut.cluster.internal.wire.BadMessageException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.SocketChannel;
import java.time.Duration;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;

/** The end of a link that has connected to the other node. */
final class ClientEnd extends LinkEnd {
  /** A link that has received nothing since its last send for this long is pinged. */
  private static final long QUIET_NANOS = Duration.ofSeconds(1).toNanos();

  /** An idle link is pinged after this time, so that it is there when it is needed. */
  private static final long IDLE_NANOS = Duration.ofSeconds(5).toNanos();

  /** After this time without an answer to a ping, the link is closed. */
  private static final long LOST_NANOS = Duration.ofSeconds(3).toNanos();

  /** Like {@link #LOST_NANOS}, for large messages: a ping waits behind them. */
  private static final long BULK_LOST_NANOS = Duration.ofSeconds(10).toNanos();

  private final LinkAddress to;
  private final NodeLinks.NodeIdentity self;
  private final NodeTls tls;
  private final LongSupplier nanoTime;

  /** The time at which a message was last sent. */
  private volatile long sentNanos;

  /** The time at which the other end was last known to receive or send. */
  private volatile long heardNanos;

  /** Whether a ping was sent, at {@link #pingedNanos}. Confined to the thread that ticks. */
  private boolean isPinged;

  private long pingedNanos;

  ClientEnd(
      SocketChannel channel,
      LinkAddress to,
      NodeLinks.NodeIdentity self,
      NodeTls tls,
      LongSupplier nanoTime,
      LinkHandler handler) {
    super(channel, handler);
    this.to = to;
    this.self = self;
    this.tls = tls;
    this.nanoTime = nanoTime;
  }

  @Override
  void check(SSLSession session) throws SSLException {
    tls.check(to.host(), true, session);
  }

  @Override
  void secured() {
    write(
        new LinkFrame.Hello(
            GossipedNodeState.PROTOCOL,
            to.incarnation(),
            self.name(),
            self.incarnation(),
            isBulk()));
  }

  /** Returns whether the link takes a small message. */
  boolean hasRoom() {
    return isReady && channel.isWritable();
  }

  /** Sends a small message; returns false if the link does not take it. */
  boolean send(LinkFrame frame) {
    sentNanos = nanoTime.getAsLong();
    return hasRoom() && tryWrite(frame);
  }

  @Override
  void received(LinkFrame frame) {
    heardNanos = nanoTime.getAsLong();
    if (frame instanceof LinkFrame.Welcome welcome && !isReady) {
      if (welcome.refusal().isEmpty()) {
        isReady = true;
        handler.onReady(to.name());
      } else {
        close("node %s refused the link: %s".formatted(to.name(), welcome.refusal()));
      }
    } else if (!isReady) {
      refuse("node %s violated the protocol".formatted(to.name()));
    } else if (!(frame instanceof LinkFrame.Pong)) {
      receivedMessage(frame);
    }
  }

  @Override
  Requester requester() {
    throw new BadMessageException("a request on a link for replies");
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (isBulk()) {
      // The other end takes what is sent, as it does not answer for a while.
      heardNanos = nanoTime.getAsLong();
      sendMore();
    }
    context.fireChannelWritabilityChanged();
  }

  @Override
  void ended() {
    handler.onBroken(to.name(), isBulk());
  }

  /** Closes a link whose other end is silent, even to a ping. Called by one thread, repeatedly. */
  void tick(long nowNanos) {
    long quietNanos = nowNanos - heardNanos;
    boolean isIdle = heardNanos - sentNanos >= 0;
    if (!isReady) {
      isPinged = false;
    } else if (isPinged && heardNanos - pingedNanos <= 0) {
      if (nowNanos - pingedNanos > (isBulk() ? BULK_LOST_NANOS : LOST_NANOS)) {
        close("node %s is silent".formatted(to.name()));
      }
    } else if (quietNanos > (isIdle ? IDLE_NANOS : QUIET_NANOS)) {
      pingedNanos = nowNanos;
      isPinged = tryWrite(new LinkFrame.Ping());
    }
  }
}
