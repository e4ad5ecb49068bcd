package io.github.stablecut.cluster.internal.akka;

import akka.actor.ExtendedActorSystem;
import akka.actor.typed.ActorRefResolver;
import akka.actor.typed.javadsl.Adapter;
import akka.serialization.SerializerWithStringManifest;
import io.github.stablecut.cluster.internal.membership.ClusterSummary;
import io.github.stablecut.cluster.internal.membership.DirectoryEpochs;
import io.github.stablecut.cluster.internal.membership.NodeFacts;
import io.github.stablecut.cluster.internal.wire.BadMessageException;
import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.cluster.internal.wire.MembershipCodec;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.cluster.internal.wire.WireInput;
import io.github.stablecut.cluster.internal.wire.WireOutput;
import java.io.NotSerializableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Serializes {@link NodeMessage}s. The manifest names the kind of message and its version. Unknown
 * and malformed messages are refused and counted. Thread-safe.
 */
public final class MessageSerializer extends SerializerWithStringManifest {
  /** Part of the wire format; unique among the serializers of the cluster. */
  static final int IDENTIFIER = 1_886_417_009;

  private static final AtomicLong REFUSED = new AtomicLong();

  private final ExtendedActorSystem system;

  /**
   * Created by Akka.
   *
   * @param system the system whose messages it serializes
   */
  public MessageSerializer(ExtendedActorSystem system) {
    this.system = system;
  }

  /** How many messages this process has refused. */
  static long refused() {
    return REFUSED.get();
  }

  @Override
  public int identifier() {
    return IDENTIFIER;
  }

  @Override
  public String manifest(Object message) {
    if (message instanceof NodeMessage.RequestEnvelope) {
      return "A2";
    } else if (message instanceof NodeMessage.ReplyEnvelope) {
      return "R3";
    } else if (message instanceof NodeMessage.DriverReply) {
      return "T1";
    } else if (message instanceof NodeMessage.FragmentMessage) {
      return "P3";
    } else if (message instanceof NodeMessage.FragmentAck) {
      return "K1";
    } else if (message instanceof NodeMessage.Hello) {
      return "H1";
    } else if (message instanceof NodeMessage.Welcome) {
      return "W3";
    } else if (message instanceof NodeMessage.Waiting) {
      return "G1";
    } else if (message instanceof NodeMessage.Refused) {
      return "F1";
    } else if (message instanceof NodeMessage.Heartbeat) {
      return "N2";
    }
    throw new IllegalArgumentException(message.getClass() + " is no message between nodes");
  }

  @Override
  public byte[] toBinary(Object message) {
    WireOutput out = new WireOutput();
    if (message instanceof NodeMessage.RequestEnvelope request) {
      out.size(request.partition())
          .number(request.epoch())
          .number(request.number())
          .number(request.clock());
      writeFragment(request.request(), out.text(path(request.from())));
    } else if (message instanceof NodeMessage.ReplyEnvelope reply) {
      out.number(reply.number()).number(reply.clock());
      writeFragment(reply.reply(), out.text(reply.from().map(this::path).orElse("")));
    } else if (message instanceof NodeMessage.FragmentAck ack) {
      out.text(ack.address()).number(ack.bytes());
    } else if (message instanceof NodeMessage.DriverReply driverReply) {
      out.number(driverReply.driver()).number(driverReply.clock()).bytes(driverReply.answer());
    } else if (message instanceof NodeMessage.FragmentMessage fragment) {
      out.number(fragment.partition()).number(fragment.number());
      writeFragment(fragment.part(), out.text(path(fragment.from())));
    } else if (message instanceof NodeMessage.Hello hello) {
      MembershipCodec.write(hello.facts(), out.text(path(hello.from())));
      out.kind(hello.epochs().isPresent() ? 1 : 0);
      hello.epochs().ifPresent(epochs -> MembershipCodec.write(epochs, out));
      out.kind(hello.member().isPresent() ? 1 : 0);
      hello.member().ifPresent(member -> MembershipCodec.write(member, out));
    } else if (message instanceof NodeMessage.Welcome welcome) {
      MembershipCodec.write(welcome.member(), out);
      out.kind(welcome.isTogether() ? 1 : 0);
    } else if (message instanceof NodeMessage.Waiting waiting) {
      out.text(waiting.address());
    } else if (message instanceof NodeMessage.Refused refused) {
      out.text(refused.reason());
    } else if (message instanceof NodeMessage.Heartbeat heartbeat) {
      out.text(path(heartbeat.from())).size(heartbeat.heard().size());
      heartbeat.heard().forEach(out::text);
      MembershipCodec.write(heartbeat.facts(), out);
    } else {
      throw new IllegalArgumentException(message.getClass() + " is no message between nodes");
    }
    return out.toArray();
  }

  @Override
  public Object fromBinary(byte[] bytes, String manifest) throws NotSerializableException {
    try {
      WireInput in = WireInput.untimed(bytes);
      return in.end(read(manifest, in));
    } catch (RuntimeException e) {
      var unused = REFUSED.incrementAndGet();
      NotSerializableException refused =
          new NotSerializableException(
              "a message of kind \"%s\" and %,d bytes was refused: %s"
                  .formatted(manifest, bytes.length, e.getMessage()));
      var unusedToo = refused.initCause(e);
      throw refused;
    }
  }

  private NodeMessage read(String manifest, WireInput in) {
    return switch (manifest) {
      case "A2" -> readRequest(in);
      case "R3" ->
          new NodeMessage.ReplyEnvelope(in.number(), in.count(), optionalRef(in), readFragment(in));
      case "T1" -> new NodeMessage.DriverReply(in.number(), in.count(), in.bytes());
      case "P3" -> readFragmentMessage(in);
      case "K1" -> new NodeMessage.FragmentAck(in.text(), in.count());
      case "H1" -> readHello(in);
      case "W3" -> new NodeMessage.Welcome(MembershipCodec.readSummary(in), in.kind() != 0);
      case "G1" -> new NodeMessage.Waiting(in.text());
      case "F1" -> new NodeMessage.Refused(in.text());
      case "N2" -> readHeartbeat(in);
      default -> throw new BadMessageException("unknown kind");
    };
  }

  private NodeMessage.Hello readHello(WireInput in) {
    NodeRef from = ref(in.text());
    NodeFacts facts = MembershipCodec.readFacts(in);
    if (facts.protocol() != NodeFacts.PROTOCOL) {
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
    List<String> heard = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      heard.add(in.text());
    }
    return new NodeMessage.Heartbeat(MembershipCodec.readFacts(in), heard, from);
  }

  private NodeMessage.RequestEnvelope readRequest(WireInput in) {
    int partition = in.small();
    long epoch = in.count();
    long number = in.number();
    long clock = in.count();
    NodeRef from = ref(in.text());
    return new NodeMessage.RequestEnvelope(partition, epoch, number, clock, from, readFragment(in));
  }

  private NodeMessage.FragmentMessage readFragmentMessage(WireInput in) {
    int partition = (int) in.number();
    long number = in.number();
    return new NodeMessage.FragmentMessage(partition, number, ref(in.text()), readFragment(in));
  }

  private Optional<NodeRef> optionalRef(WireInput in) {
    return Optional.of(in.text()).filter(path -> !path.isEmpty()).map(this::ref);
  }

  private static void writeFragment(Fragment fragment, WireOutput out) {
    out.size(fragment.offset()).bytes(fragment.bytes());
  }

  private static Fragment readFragment(WireInput in) {
    return new Fragment(in.small(), in.bytes());
  }

  private String path(NodeRef ref) {
    if (ref instanceof ActorNode node) {
      return resolver().toSerializationFormat(node.actor());
    }
    throw new IllegalArgumentException(ref + " is no actor");
  }

  private NodeRef ref(String path) {
    return new ActorNode(resolver().resolveActorRef(path));
  }

  private ActorRefResolver resolver() {
    return ActorRefResolver.get(Adapter.toTyped(system));
  }
}
