package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.internal.membership.NodeFacts;
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
final class AskingEnd extends LinkEnd implements Links.Link {
  /** A link that was used this lately has to show that it is alive: no reply takes longer. */
  private static final long USED_NANOS = Duration.ofSeconds(60).toNanos();

  /** After so long without a word it is asked for one. */
  private static final long QUIET_NANOS = Duration.ofSeconds(1).toNanos();

  /** After so long without an answer to that it is closed. */
  private static final long LOST_NANOS = Duration.ofSeconds(3).toNanos();

  private final LinkTo to;
  private final NodeLinks.Self self;
  private final NodeTls tls;
  private final LongSupplier nanoTime;
  private final LinkHandler handler;
  private volatile long askedNanos;
  private volatile long heardNanos;
  private boolean isPinged;
  private long pingedNanos;

  AskingEnd(
      SocketChannel channel,
      LinkTo to,
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
        new LinkFrame.Hello(NodeFacts.PROTOCOL, to.incarnation(), self.name(), self.incarnation()));
  }

  @Override
  public boolean ask(int partition, long epoch, long number, Bytes request) {
    if (!isReady || !channel.isWritable()) {
      return false;
    }
    askedNanos = nanoTime.getAsLong();
    write(new LinkFrame.Request(partition, epoch, number, handler.now(), request));
    // Closed meanwhile, it may have been closed before the request was registered.
    return isReady;
  }

  /** Sends a message to a copy. Returns whether it was sent; it may be lost. Does not block. */
  boolean tell(int partition, Bytes message) {
    if (!isReady || !channel.isWritable()) {
      return false;
    }
    askedNanos = nanoTime.getAsLong();
    write(new LinkFrame.Message(partition, handler.now(), message));
    return true;
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
      isPinged = true;
      pingedNanos = now;
      write(new LinkFrame.Ping());
    } else if (now - pingedNanos > LOST_NANOS) {
      close("node %s is silent".formatted(to.name()));
    }
  }
}
