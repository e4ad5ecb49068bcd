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
 * The end of a link that receives requests. While the other end does not take its replies, it reads
 * no further requests. As a {@link NodeRef} thread-safe: small replies are sent on the link, and
 * everything else, and what the link does not take, by way of Akka.
 */
final class ServerEnd extends LinkEnd implements NodeRef {
  private final NodeLinks links;
  private final NodeLinks.Self self;
  private final NodeTls tls;
  private final LinkHandler handler;

  /** Who is at the other end; null until that is known. */
  private volatile @Nullable LinkAddress from;

  ServerEnd(
      SocketChannel channel,
      NodeLinks links,
      NodeLinks.Self self,
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
    LinkAddress known = from;
    if (frame instanceof LinkFrame.Request request && known != null) {
      if (!Links.carry(request.request())) {
        refuse("node %s has sent what it may not".formatted(known.name()));
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
    } else if (frame instanceof LinkFrame.Message message && known != null) {
      if (!Links.carryMessage(message.message())) {
        refuse("node %s has sent what it may not".formatted(known.name()));
        return;
      }
      handler.onMessage(message.partition(), message.clock(), message.message());
    } else if (frame instanceof LinkFrame.Ping && known != null) {
      write(new LinkFrame.Pong());
    } else if (frame instanceof LinkFrame.Hello hello && known == null) {
      greet(hello);
    } else {
      refuse("its other end has sent what it may not");
    }
  }

  private void greet(LinkFrame.Hello hello) {
    LinkAddress sender = links.known(hello.name());
    String refusal = "";
    if (hello.protocol() != GossipedNodeState.PROTOCOL) {
      refusal =
          "its messages are of version %d, and those of node %s of version %d"
              .formatted(hello.protocol(), self.name(), GossipedNodeState.PROTOCOL);
    } else if (hello.receiver() != self.incarnation()) {
      refusal = "it means another node, or another run of node %s".formatted(self.name());
    } else if (sender == null || sender.incarnation() != hello.incarnation()) {
      refusal =
          "node %s has not heard that this run of node %s is in its cluster"
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

  /** Whether it belongs to this run of a node, or nobody is known at its other end. */
  boolean isFrom(@Nullable LinkAddress node) {
    LinkAddress known = from;
    return known == null || known.equals(node);
  }

  /** The name of the node at the other end; empty if that is not known. */
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
        && hasRoom()) {
      write(new LinkFrame.Reply(reply.number(), reply.clock(), reply.reply().bytes()));
      return;
    }
    LinkAddress known = from;
    if (known != null) {
      handler.send(known.address(), message);
    }
  }

  /** Whether the link takes a reply. */
  private boolean hasRoom() {
    if (isReady && !channel.isWritable() && channel.eventLoop().inEventLoop()) {
      // Netty says so when all that was read is handled. Said now, what is answered so far is sent.
      var unused = channel.pipeline().fireChannelWritabilityChanged();
    }
    return isReady && channel.isWritable();
  }

  @Override
  public Optional<String> address() {
    return Optional.ofNullable(from).map(LinkAddress::address);
  }
}
