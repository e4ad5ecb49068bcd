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

/** The end of a link that sends requests and messages, which is thread-safe. */
final class ClientEnd extends LinkEnd implements Links.Link {
  /** A link that was used this lately has to show that it is alive: no reply takes longer. */
  private static final long USED_NANOS = Duration.ofSeconds(60).toNanos();

  /** After so long without a word it is asked for one. */
  private static final long QUIET_NANOS = Duration.ofSeconds(1).toNanos();

  /** After so long without an answer to that copies' messages go another way. */
  private static final long DOUBTFUL_NANOS = Duration.ofMillis(500).toNanos();

  /** After so long without an answer to that it is closed. */
  private static final long LOST_NANOS = Duration.ofSeconds(3).toNanos();

  private final LinkAddress to;
  private final NodeLinks.Self self;
  private final NodeTls tls;
  private final LongSupplier nanoTime;
  private final LinkHandler handler;
  private volatile long askedNanos;
  private volatile long heardNanos;

  /** Whether it was asked for a word at {@link #pingedNanos}. Written by the thread that ticks. */
  private volatile boolean isPinged;

  private volatile long pingedNanos;

  ClientEnd(
      SocketChannel channel,
      LinkAddress to,
      NodeLinks.Self self,
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
    askedNanos = nanoTime.getAsLong();
    boolean isSent =
        isWritten(new LinkFrame.Request(partition, epoch, number, handler.now(), request));
    // Closed meanwhile, it may have been closed before the request was registered.
    return isSent && isReady;
  }

  /**
   * Sends a message to a copy. Returns whether it was sent; it may be lost. Not over a link whose
   * other end does not answer, as nobody notices what that loses. Does not block.
   */
  boolean tell(int partition, Bytes message) {
    long now = nanoTime.getAsLong();
    if (!isReady || !channel.isWritable() || isSilent(now, DOUBTFUL_NANOS)) {
      return false;
    }
    askedNanos = now;
    return isWritten(new LinkFrame.Message(partition, handler.now(), message));
  }

  /** Writes a frame, unless there is no direct memory left for it: there is another way. */
  private boolean isWritten(LinkFrame frame) {
    try {
      write(frame);
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  /** Whether it was asked for a word so long ago, and has said none. */
  private boolean isSilent(long now, long nanos) {
    return isPinged && heardNanos - pingedNanos <= 0 && now - pingedNanos > nanos;
  }

  @Override
  void received(LinkFrame frame) {
    heardNanos = nanoTime.getAsLong();
    if (frame instanceof LinkFrame.Reply reply && isReady) {
      handler.onReply(reply.number(), reply.clock(), reply.reply());
    } else if (frame instanceof LinkFrame.Welcome welcome && !isReady) {
      if (welcome.refusal().isEmpty()) {
        askedNanos = heardNanos;
        isReady = true;
      } else {
        close("node %s refuses it: %s".formatted(to.name(), welcome.refusal()));
      }
    } else if (!(frame instanceof LinkFrame.Pong)) {
      refuse("node %s has sent what it may not".formatted(to.name()));
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
  void tick(long now) {
    if (!isReady || now - askedNanos > USED_NANOS || now - heardNanos < QUIET_NANOS) {
      isPinged = false;
    } else if (!isPinged || heardNanos - pingedNanos > 0) {
      pingedNanos = now;
      isPinged = isWritten(new LinkFrame.Ping());
    } else if (isSilent(now, LOST_NANOS)) {
      close("node %s is silent".formatted(to.name()));
    }
  }
}
