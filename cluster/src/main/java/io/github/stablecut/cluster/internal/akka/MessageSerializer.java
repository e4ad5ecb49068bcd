package io.github.stablecut.cluster.internal.akka;

import akka.actor.ExtendedActorSystem;
import akka.actor.typed.ActorRefResolver;
import akka.actor.typed.javadsl.Adapter;
import akka.serialization.SerializerWithStringManifest;
import io.github.stablecut.cluster.internal.membership.ClusterSummary;
import io.github.stablecut.cluster.internal.membership.DirectoryEpochs;
import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.cluster.internal.wire.BadMessageException;
import io.github.stablecut.cluster.internal.wire.MembershipCodec;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.cluster.internal.wire.WireInput;
import java.io.NotSerializableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Serializes {@link NodeMessage}s ({@link MessageManifest}, {@link MessageEncoder}). Unknown and
 * malformed messages are refused and counted. Thread-safe.
 */
public final class MessageSerializer extends SerializerWithStringManifest {
  /** Part of the wire format; unique among the serializers of the cluster. */
  static final int IDENTIFIER = 1_886_417_009;

  private static final AtomicLong REFUSED = new AtomicLong();

  private static final MessageManifest MANIFEST = new MessageManifest();

  private final ExtendedActorSystem system;
  private final MessageEncoder encoder = new MessageEncoder(this::path);

  /**
   * Created by Akka.
   *
   * @param system the system whose messages it serializes
   */
  public MessageSerializer(ExtendedActorSystem system) {
    this.system = system;
  }

  /** Returns the number of messages that this process has refused. */
  static long refused() {
    return REFUSED.get();
  }

  @Override
  public int identifier() {
    return IDENTIFIER;
  }

  @Override
  public String manifest(Object message) {
    return nodeMessage(message).handTo(MANIFEST);
  }

  @Override
  public byte[] toBinary(Object message) {
    return nodeMessage(message).handTo(encoder).toArray();
  }

  private static NodeMessage nodeMessage(Object message) {
    if (message instanceof NodeMessage known) {
      return known;
    }
    throw new IllegalArgumentException(message.getClass() + " is not a message between nodes");
  }

  @Override
  public Object fromBinary(byte[] bytes, String manifest) throws NotSerializableException {
    try {
      WireInput in = WireInput.untimed(bytes);
      return in.end(read(manifest, in));
    } catch (RuntimeException e) {
      REFUSED.incrementAndGet();
      NotSerializableException refused =
          new NotSerializableException(
              "a message of kind \"%s\" and %,d bytes was refused: %s"
                  .formatted(manifest, bytes.length, e.getMessage()));
      refused.initCause(e);
      throw refused;
    }
  }

  private NodeMessage read(String manifest, WireInput in) {
    return switch (manifest) {
      case MessageManifest.HELLO -> readHello(in);
      case MessageManifest.WELCOME ->
          new NodeMessage.Welcome(MembershipCodec.readSummary(in), in.kind() != 0);
      case MessageManifest.WAITING -> new NodeMessage.Waiting(in.text(), in.kind() != 0);
      case MessageManifest.REFUSED ->
          new NodeMessage.Refused(MembershipCodec.readSummary(in), in.text());
      case MessageManifest.HEARTBEAT -> readHeartbeat(in);
      case MessageManifest.REGISTRATION -> new NodeMessage.Registration(in.small());
      default -> throw new BadMessageException("unknown kind");
    };
  }

  private NodeMessage.Hello readHello(WireInput in) {
    NodeRef from = ref(in.text());
    GossipedNodeState facts = MembershipCodec.readFacts(in);
    if (facts.protocol() != GossipedNodeState.PROTOCOL) {
      // The rest of the message is in an unknown format.
      return new NodeMessage.Hello(facts, Optional.empty(), Optional.empty(), from);
    }
    Optional<DirectoryEpochs> epochs =
        in.kind() == 0 ? Optional.empty() : Optional.of(MembershipCodec.readEpochs(in));
    Optional<ClusterSummary> member =
        in.kind() == 0 ? Optional.empty() : Optional.of(MembershipCodec.readSummary(in));
    return new NodeMessage.Hello(facts, epochs, member, from);
  }

  private NodeMessage.Heartbeat readHeartbeat(WireInput in) {
    NodeRef from = ref(in.text());
    List<String> receivedFrom = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      receivedFrom.add(in.text());
    }
    return new NodeMessage.Heartbeat(MembershipCodec.readFacts(in), receivedFrom, from);
  }

  private String path(NodeRef ref) {
    if (ref instanceof ActorNode node) {
      return resolver().toSerializationFormat(node.actor());
    }
    throw new IllegalArgumentException(ref + " is not an actor");
  }

  private NodeRef ref(String path) {
    return new ActorNode(resolver().resolveActorRef(path));
  }

  private ActorRefResolver resolver() {
    return ActorRefResolver.get(Adapter.toTyped(system));
  }
}
