package io.github.stablecut.cluster.internal.akka;

import io.github.stablecut.cluster.internal.wire.MembershipCodec;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.cluster.internal.wire.WireOutput;
import java.util.function.Function;

/** Encodes messages; {@link MessageSerializer} decodes them. Stateless. */
final class MessageEncoder implements NodeMessage.Receiver<WireOutput> {
  private final Function<NodeRef, String> path;

  /**
   * @param path the path of a node's actor
   */
  MessageEncoder(Function<NodeRef, String> path) {
    this.path = path;
  }

  @Override
  public WireOutput hello(NodeMessage.Hello message) {
    WireOutput out = new WireOutput().text(path.apply(message.from()));
    MembershipCodec.write(message.facts(), out);
    out.kind(message.epochs().isPresent() ? 1 : 0);
    message.epochs().ifPresent(epochs -> MembershipCodec.write(epochs, out));
    out.kind(message.member().isPresent() ? 1 : 0);
    message.member().ifPresent(member -> MembershipCodec.write(member, out));
    return out;
  }

  @Override
  public WireOutput welcome(NodeMessage.Welcome message) {
    WireOutput out = new WireOutput();
    MembershipCodec.write(message.member(), out);
    return out.kind(message.isTogether() ? 1 : 0);
  }

  @Override
  public WireOutput waiting(NodeMessage.Waiting message) {
    return new WireOutput().text(message.address()).kind(message.isFormed() ? 1 : 0);
  }

  @Override
  public WireOutput refused(NodeMessage.Refused message) {
    WireOutput out = new WireOutput();
    MembershipCodec.write(message.member(), out);
    return out.text(message.reason());
  }

  @Override
  public WireOutput heartbeat(NodeMessage.Heartbeat message) {
    WireOutput out =
        new WireOutput().text(path.apply(message.from())).size(message.receivedFrom().size());
    message.receivedFrom().forEach(out::text);
    MembershipCodec.write(message.facts(), out);
    return out;
  }

  @Override
  public WireOutput registration(NodeMessage.Registration message) {
    return new WireOutput().size(message.partition());
  }
}
