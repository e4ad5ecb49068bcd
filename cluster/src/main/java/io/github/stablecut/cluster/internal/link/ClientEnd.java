package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.cluster.internal.remote.Links;
import io.github.stablecut.cluster.internal.remote.NodeTls;
import io.github.stablecut.crdt.Bytes;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.SocketChannel;
import java.time.Duration;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;

/** The end of a link that sends requests and messages. Sending is thread-safe. */
final class ClientEnd extends LinkEnd implements Links.Link {
  /** A link is pinged for this long after its last use: no reply takes longer. */
  private static final long USED_NANOS = Duration.ofSeconds(60).toNanos();

  /** A link that has received nothing for this long is pinged. */
  private static final long QUIET_NANOS = Duration.ofSeconds(1).toNanos();

  /** After this time without an answer to a ping, messages to replicas take another route. */
  private static final long DOUBTFUL_NANOS = Duration.ofMillis(500).toNanos();

  /** After this time without an answer to a ping, the link is closed. */
  private static final long LOST_NANOS = Duration.ofSeconds(3).toNanos();

  private final LinkAddress to;
  private final NodeLinks.NodeIdentity self;
  private final NodeTls tls;
  private final LongSupplier nanoTime;
  private final LinkHandler handler;

  /** The time at which a request or message was last sent. */
  private volatile long sentNanos;

  /** The time at which a frame was last received. */
  private volatile long receivedNanos;

  /** Whether a ping was sent, at {@link #pingedNanos}. Written by the thread that ticks. */
  private volatile boolean isPinged;

  private volatile long pingedNanos;

  ClientEnd(
      SocketChannel channel,
      LinkAddress to,
      NodeLinks.NodeIdentity self,
      NodeTls tls,
      LongSupplier nanoTime,
      LinkHandler handler) {
    super(channel);
    this.to = to;
    this.self = self;
    this.tls = tls;
    this.nanoTime = nanoTime;
    this.handler = handler;
  }

  @Override
  void check(SSLSession session) throws SSLException {
    tls.check(to.host(), true, session);
  }

  @Override
  void secured() {
    write(
        new LinkFrame.Hello(
            GossipedNodeState.PROTOCOL, to.incarnation(), self.name(), self.incarnation()));
  }

  @Override
  public boolean ask(int partition, long epoch, long number, Bytes request) {
    if (!isReady || !channel.isWritable()) {
      return false;
    }
    sentNanos = nanoTime.getAsLong();
    boolean isSent =
        tryWrite(new LinkFrame.Request(partition, epoch, number, handler.now(), request));
    // If it was closed meanwhile, onBroken may have run before the request was registered.
    return isSent && isReady;
  }

  /**
   * Sends a message to a replica, unless the other end does not answer a ping, since the loss of
   * such messages would stay unnoticed. Does not block.
   *
   * @return whether it was sent; it may still be lost
   */
  boolean tell(int partition, Bytes message) {
    long nowNanos = nanoTime.getAsLong();
    if (!isReady || !channel.isWritable() || isSilent(nowNanos, DOUBTFUL_NANOS)) {
      return false;
    }
    sentNanos = nowNanos;
    return tryWrite(new LinkFrame.Message(partition, handler.now(), message));
  }

  /** Writes a frame; returns false without direct memory, since there are other routes. */
  private boolean tryWrite(LinkFrame frame) {
    try {
      write(frame);
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  /** Returns whether a ping has been unanswered for some time. */
  private boolean isSilent(long nowNanos, long nanos) {
    return isPinged && receivedNanos - pingedNanos <= 0 && nowNanos - pingedNanos > nanos;
  }

  @Override
  void received(LinkFrame frame) {
    receivedNanos = nanoTime.getAsLong();
    if (frame instanceof LinkFrame.Reply reply && isReady) {
      handler.onReply(reply.number(), reply.clock(), reply.reply());
    } else if (frame instanceof LinkFrame.Welcome welcome && !isReady) {
      if (welcome.refusal().isEmpty()) {
        sentNanos = receivedNanos;
        isReady = true;
      } else {
        close("node %s refused the link: %s".formatted(to.name(), welcome.refusal()));
      }
    } else if (!(frame instanceof LinkFrame.Pong)) {
      refuse("node %s violated the protocol".formatted(to.name()));
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    isReady = false;
    handler.onBroken(this);
    context.fireChannelInactive();
  }

  /**
   * Closes a link that is in use if its other end is silent, even to a ping. Called several times
   * per second, by one thread.
   */
  void tick(long nowNanos) {
    if (!isReady || nowNanos - sentNanos > USED_NANOS || nowNanos - receivedNanos < QUIET_NANOS) {
      isPinged = false;
    } else if (!isPinged || receivedNanos - pingedNanos > 0) {
      pingedNanos = nowNanos;
      isPinged = tryWrite(new LinkFrame.Ping());
    } else if (isSilent(nowNanos, LOST_NANOS)) {
      close("node %s is silent".formatted(to.name()));
    }
  }
}
