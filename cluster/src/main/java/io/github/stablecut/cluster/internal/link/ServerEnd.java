package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.cluster.internal.remote.Links;
import io.github.stablecut.cluster.internal.remote.NodeTls;
import io.github.stablecut.cluster.internal.remote.Requester;
import io.github.stablecut.crdt.Bytes;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.SocketChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The end of a link that another node has made, and on which its requests arrive. Stops reading
 * requests while the other end does not take its replies. As a {@link Requester}, sends small
 * replies on the link, and large ones, and those of a broken link, on this node's own links to the
 * requester.
 */
final class ServerEnd extends LinkEnd implements Requester {
  /** Longer than a link's other end is silent: its pings and what they wait for. */
  private static final long SILENCE_NANOS = Duration.ofSeconds(20).toNanos();

  private final NodeLinks links;
  private final NodeLinks.NodeIdentity self;
  private final NodeTls tls;

  /** The time without a frame, in ticks: a pause of this process does not count. */
  private volatile long silentNanos;

  /** The node at the other end; null until identified. */
  private volatile @Nullable LinkAddress from;

  ServerEnd(
      SocketChannel channel,
      NodeLinks links,
      NodeLinks.NodeIdentity self,
      NodeTls tls,
      LinkHandler handler) {
    super(channel, handler);
    this.links = links;
    this.self = self;
    this.tls = tls;
  }

  @Override
  void check(SSLSession session) throws SSLException {
    tls.check(channel.remoteAddress().getHostString(), false, session);
  }

  @Override
  void received(LinkFrame frame) {
    silentNanos = 0;
    if (from == null) {
      if (frame instanceof LinkFrame.Hello hello && !isBulk()) {
        greet(hello);
      } else {
        refuse("its other end violated the protocol");
      }
    } else if (!isReady) {
      refuse("node %s did not wait for the answer to its first frame".formatted(name()));
    } else if (frame instanceof LinkFrame.Ping) {
      write(new LinkFrame.Pong());
    } else if (frame instanceof LinkFrame.Answered answered) {
      handler.onAnswered(run(), answered.oldest());
    } else if (frame instanceof LinkFrame.Message message && Links.carryMessage(message.bytes())) {
      handler.onMessage(message.partition(), message.clock(), message.bytes());
    } else {
      receivedMessage(frame);
    }
  }

  private void greet(LinkFrame.Hello hello) {
    LinkAddress sender = links.known(hello.name());
    String refusal = "";
    if (hello.protocol() != GossipedNodeState.PROTOCOL) {
      refusal =
          "its messages have version %d, and those of node %s version %d"
              .formatted(hello.protocol(), self.name(), GossipedNodeState.PROTOCOL);
    } else if (hello.receiver() != self.incarnation()) {
      refusal = "it is meant for another node, or another run of node %s".formatted(self.name());
    } else if (sender == null || sender.incarnation() != hello.incarnation()) {
      refusal =
          "node %s does not know this run of node %s as a member of its cluster"
              .formatted(self.name(), hello.name());
    }
    if (!refusal.isEmpty()) {
      write(new LinkFrame.Welcome(refusal));
      close(refusal);
      return;
    }
    from = sender;
    if (hello.isBulk()) {
      carryLarge();
      channel.config().setAutoRead(false);
      // After this read: the other end sends nothing before the welcome.
      channel.eventLoop().execute(this::moveToBulkLoop);
    } else {
      welcome();
    }
  }

  private void welcome() {
    isReady = true;
    write(new LinkFrame.Welcome(""));
  }

  /** Moves the connection to the event loop of large messages, so that no small one waits. */
  private void moveToBulkLoop() {
    channel
        .deregister()
        .addListener(
            left ->
                links
                    .bulkLoop()
                    .register(channel)
                    .addListener(
                        moved -> {
                          if (moved.isSuccess()) {
                            welcome();
                            channel.config().setAutoRead(true);
                          } else {
                            close(String.valueOf(moved.cause()));
                          }
                        }));
  }

  /** Returns whether its other end is this run of a node, or not identified yet. */
  boolean isFrom(@Nullable LinkAddress node) {
    LinkAddress sender = from;
    return sender == null || sender.equals(node);
  }

  /** Returns the run at the other end; empty until identified. */
  Optional<LinkAddress> other() {
    return Optional.ofNullable(from);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (isBulk()) {
      sendMore();
    } else {
      channel.config().setAutoRead(channel.isWritable());
    }
    context.fireChannelWritabilityChanged();
  }

  /**
   * Closes a link whose other end, which pings idle links, is silent. Called by one thread,
   * repeatedly.
   *
   * @param elapsedNanos the time since the last tick
   */
  void tick(long elapsedNanos) {
    long silence = channel.config().isAutoRead() ? silentNanos + elapsedNanos : 0;
    silentNanos = silence;
    if (isReady && silence > SILENCE_NANOS) {
      close("node %s is silent".formatted(name()));
    }
  }

  @Override
  void ended() {
    LinkAddress sender = from;
    if (sender != null) {
      handler.onBroken(sender.name(), isBulk());
    }
  }

  private LinkAddress from() {
    return Objects.requireNonNull(from, "a request comes from an identified node");
  }

  @Override
  Requester requester() {
    return this;
  }

  @Override
  public String name() {
    return from().name();
  }

  @Override
  public long run() {
    return from().incarnation();
  }

  @Override
  public String address() {
    return from().address();
  }

  @Override
  public void reply(long number, long clock, Bytes reply, Consumer<Boolean> done) {
    send(number, new LinkFrame.Reply(number, clock, reply), done);
  }

  @Override
  public void tellDriver(long driver, long clock, Bytes answer) {
    send(driver, new LinkFrame.DriverReply(driver, clock, answer), isSent -> {});
  }

  private void send(long number, LinkFrame.Content content, Consumer<Boolean> done) {
    if (Links.isLarge(content.bytes())) {
      links.answerLarge(from(), number, content, done);
    } else {
      boolean isSent = tryWrite(content) || links.answer(from(), content);
      if (!isSent) {
        // The requester learns from it that it has to repeat the request.
        close("there is no memory to write a reply");
      }
      done.accept(isSent);
    }
  }
}
