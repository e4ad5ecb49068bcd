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
 * The bytes of {@link NodeMessage}s. The manifest is the kind and its version, written letters;
 * what is not known or malformed is refused and counted. Thread-safe.
 */
public final class MessageSerializer extends SerializerWithStringManifest {
  /** Written; no other serializer of the cluster may have it. */
  static final int IDENTIFIER = 1_886_417_009;

  private static final AtomicLong REFUSED = new AtomicLong();

  private final ExtendedActorSystem system;

  /**
   * Made by Akka.
   *
   * @param system whose messages these are
   */
  public MessageSerializer(ExtendedActorSystem system) {
    this.system = system;
  }

  /** How many messages were refused by this process. */
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
    if (message instanceof NodeMessage.RequestEnvelope ask) {
      out.size(ask.partition()).number(ask.epoch()).number(ask.number()).number(ask.clock());
      part(ask.request(), out.text(path(ask.from())));
    } else if (message instanceof NodeMessage.ReplyEnvelope answer) {
      out.number(answer.number()).number(answer.clock());
      part(answer.reply(), out.text(answer.from().map(this::path).orElse("")));
    } else if (message instanceof NodeMessage.FragmentAck taken) {
      out.text(taken.address()).number(taken.bytes());
    } else if (message instanceof NodeMessage.DriverReply told) {
      out.number(told.driver()).number(told.clock()).bytes(told.answer());
    } else if (message instanceof NodeMessage.FragmentMessage piece) {
      out.number(piece.partition()).number(piece.number());
      part(piece.part(), out.text(path(piece.from())));
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
    } else if (message instanceof NodeMessage.Heartbeat presence) {
      out.text(path(presence.from())).size(presence.heard().size());
      presence.heard().forEach(out::text);
      MembershipCodec.write(presence.facts(), out);
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
      case "A2" -> readAsk(in);
      case "R3" ->
          new NodeMessage.ReplyEnvelope(in.number(), in.count(), optionalRef(in), readPart(in));
      case "T1" -> new NodeMessage.DriverReply(in.number(), in.count(), in.bytes());
      case "P3" -> readPiece(in);
      case "K1" -> new NodeMessage.FragmentAck(in.text(), in.count());
      case "H1" -> readHello(in);
      case "W3" -> new NodeMessage.Welcome(MembershipCodec.readSummary(in), in.kind() != 0);
      case "G1" -> new NodeMessage.Waiting(in.text());
      case "F1" -> new NodeMessage.Refused(in.text());
      case "N2" -> readPresence(in);
      default -> throw new BadMessageException("its kind is not known");
    };
  }

  private NodeMessage.Hello readHello(WireInput in) {
    NodeRef from = ref(in.text());
    NodeFacts facts = MembershipCodec.readFacts(in);
    if (facts.protocol() != NodeFacts.PROTOCOL) {
      // Nothing more of it is known.
      return new NodeMessage.Hello(facts, Optional.empty(), Optional.empty(), from);
    }
    Optional<DirectoryEpochs> claims =
        in.kind() == 0 ? Optional.empty() : Optional.of(MembershipCodec.readEpochs(in));
    Optional<ClusterSummary> member =
        in.kind() == 0 ? Optional.empty() : Optional.of(MembershipCodec.readSummary(in));
    return new NodeMessage.Hello(facts, claims, member, from);
  }

  private NodeMessage.Heartbeat readPresence(WireInput in) {
    NodeRef from = ref(in.text());
    List<String> heard = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      heard.add(in.text());
    }
    return new NodeMessage.Heartbeat(MembershipCodec.readFacts(in), heard, from);
  }

  private NodeMessage.RequestEnvelope readAsk(WireInput in) {
    int partition = in.small();
    long epoch = in.count();
    long number = in.number();
    long clock = in.count();
    NodeRef from = ref(in.text());
    return new NodeMessage.RequestEnvelope(partition, epoch, number, clock, from, readPart(in));
  }

  private NodeMessage.FragmentMessage readPiece(WireInput in) {
    int partition = (int) in.number();
    long number = in.number();
    return new NodeMessage.FragmentMessage(partition, number, ref(in.text()), readPart(in));
  }

  private Optional<NodeRef> optionalRef(WireInput in) {
    return Optional.of(in.text()).filter(path -> !path.isEmpty()).map(this::ref);
  }

  private static void part(Fragment part, WireOutput out) {
    out.size(part.offset()).bytes(part.bytes());
  }

  private static Fragment readPart(WireInput in) {
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
