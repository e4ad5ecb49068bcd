package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.cluster.internal.remote.Links;
import io.github.stablecut.cluster.internal.remote.NodeTls;
import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.SocketChannel;
import java.util.Optional;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The end of a link that receives requests. Stops reading requests while the other end does not
 * take its replies. As a {@link NodeRef}, sends small replies on the link; others, and those that
 * the link can't take, go through Akka. The {@link NodeRef} is thread-safe.
 */
final class ServerEnd extends LinkEnd implements NodeRef {
  private final NodeLinks links;
  private final NodeLinks.NodeIdentity self;
  private final NodeTls tls;
  private final LinkHandler handler;

  /** The node at the other end; null until identified. */
  private volatile @Nullable LinkAddress from;

  ServerEnd(
      SocketChannel channel,
      NodeLinks links,
      NodeLinks.NodeIdentity self,
      NodeTls tls,
      LinkHandler handler) {
    super(channel);
    this.links = links;
    this.self = self;
    this.tls = tls;
    this.handler = handler;
  }

  @Override
  void check(SSLSession session) throws SSLException {
    tls.check(channel.remoteAddress().getHostString(), false, session);
  }

  @Override
  void received(LinkFrame frame) {
    LinkAddress sender = from;
    if (frame instanceof LinkFrame.Request request && sender != null) {
      if (!Links.carry(request.request())) {
        refuse("node %s violated the protocol".formatted(sender.name()));
        return;
      }
      handler.onRequest(
          new NodeMessage.RequestEnvelope(
              request.partition(),
              request.epoch(),
              request.number(),
              request.clock(),
              this,
              new Fragment(0, request.request())));
    } else if (frame instanceof LinkFrame.Message message && sender != null) {
      if (!Links.carryMessage(message.message())) {
        refuse("node %s violated the protocol".formatted(sender.name()));
        return;
      }
      handler.onMessage(message.partition(), message.clock(), message.message());
    } else if (frame instanceof LinkFrame.Ping && sender != null) {
      write(new LinkFrame.Pong());
    } else if (frame instanceof LinkFrame.Hello hello && sender == null) {
      greet(hello);
    } else {
      refuse("its other end violated the protocol");
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
    write(new LinkFrame.Welcome(refusal));
    if (refusal.isEmpty()) {
      from = sender;
      isReady = true;
    } else {
      close(refusal);
    }
  }

  /** Returns whether its other end is this run of a node, or not identified yet. */
  boolean isFrom(@Nullable LinkAddress node) {
    LinkAddress sender = from;
    return sender == null || sender.equals(node);
  }

  /** Returns the name of the node at the other end; empty until identified. */
  Optional<String> name() {
    return Optional.ofNullable(from).map(LinkAddress::name);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    channel.config().setAutoRead(channel.isWritable());
    context.fireChannelWritabilityChanged();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    isReady = false;
    context.fireChannelInactive();
  }

  @Override
  public void tell(NodeMessage message) {
    if (message instanceof NodeMessage.ReplyEnvelope reply
        && reply.from().isEmpty()
        && reply.reply().offset() == 0
        && reply.reply().bytes().length() <= Links.MAX_BYTES
        && canSend()) {
      write(new LinkFrame.Reply(reply.number(), reply.clock(), reply.reply().bytes()));
      return;
    }
    LinkAddress sender = from;
    if (sender != null) {
      handler.send(sender.address(), message);
    }
  }

  /** Returns whether the link takes a reply; flushes pending replies if it is full. */
  private boolean canSend() {
    if (isReady && !channel.isWritable() && channel.eventLoop().inEventLoop()) {
      // Netty fires this after a complete read; fired now, the consolidated replies are flushed.
      channel.pipeline().fireChannelWritabilityChanged();
    }
    return isReady && channel.isWritable();
  }

  @Override
  public Optional<String> address() {
    return Optional.ofNullable(from).map(LinkAddress::address);
  }
}
