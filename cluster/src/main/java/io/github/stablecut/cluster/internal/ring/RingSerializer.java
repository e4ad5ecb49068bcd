package io.github.stablecut.cluster.internal.ring;

import akka.actor.ExtendedActorSystem;
import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorRefResolver;
import akka.actor.typed.javadsl.Adapter;
import akka.serialization.SerializerWithStringManifest;
import java.io.NotSerializableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of {@link RingMessage.OnWire}s. The manifest is the kind and its version, written
 * letters; what is not known or malformed is refused and counted. Thread-safe.
 */
public final class RingSerializer extends SerializerWithStringManifest {
  /** Written; no other serializer of the cluster may have it. */
  static final int IDENTIFIER = 1_886_417_009;

  private static final AtomicLong REFUSED = new AtomicLong();

  private final ExtendedActorSystem system;

  /**
   * Made by Akka.
   *
   * @param system whose messages these are
   */
  public RingSerializer(ExtendedActorSystem system) {
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
    if (message instanceof RingMessage.Ask) {
      return "A2";
    } else if (message instanceof RingMessage.Answer) {
      return "R3";
    } else if (message instanceof RingMessage.Told) {
      return "T1";
    } else if (message instanceof RingMessage.Piece) {
      return "P3";
    } else if (message instanceof RingMessage.Taken) {
      return "K1";
    } else if (message instanceof RingMessage.Hello) {
      return "H1";
    } else if (message instanceof RingMessage.Welcome) {
      return "W3";
    } else if (message instanceof RingMessage.Waiting) {
      return "G1";
    } else if (message instanceof RingMessage.Refused) {
      return "F1";
    } else if (message instanceof RingMessage.Presence) {
      return "N2";
    }
    throw new IllegalArgumentException(message.getClass() + " is no message between nodes");
  }

  @Override
  public byte[] toBinary(Object message) {
    WireOutput out = new WireOutput();
    if (message instanceof RingMessage.Ask ask) {
      out.size(ask.partition()).number(ask.epoch()).number(ask.number()).number(ask.clock());
      part(ask.question(), out.text(path(ask.from())));
    } else if (message instanceof RingMessage.Answer answer) {
      out.number(answer.number()).number(answer.clock());
      part(answer.reply(), out.text(answer.from().map(this::path).orElse("")));
    } else if (message instanceof RingMessage.Taken taken) {
      out.text(taken.address()).number(taken.bytes());
    } else if (message instanceof RingMessage.Told told) {
      out.number(told.driver()).number(told.clock()).bytes(told.answer());
    } else if (message instanceof RingMessage.Piece piece) {
      out.number(piece.partition()).number(piece.number());
      part(piece.part(), out.text(path(piece.from())));
    } else if (message instanceof RingMessage.Hello hello) {
      hello.facts().write(out.text(path(hello.from())));
      out.kind(hello.claims().isPresent() ? 1 : 0);
      hello.claims().ifPresent(claims -> claims.write(out));
      out.kind(hello.member().isPresent() ? 1 : 0);
      hello.member().ifPresent(member -> member.write(out));
    } else if (message instanceof RingMessage.Welcome welcome) {
      welcome.member().write(out);
      out.kind(welcome.isTogether() ? 1 : 0);
    } else if (message instanceof RingMessage.Waiting waiting) {
      out.text(waiting.address());
    } else if (message instanceof RingMessage.Refused refused) {
      out.text(refused.reason());
    } else if (message instanceof RingMessage.Presence presence) {
      out.text(path(presence.from())).size(presence.heard().size());
      presence.heard().forEach(out::text);
      presence.facts().write(out);
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

  private RingMessage.OnWire read(String manifest, WireInput in) {
    return switch (manifest) {
      case "A2" -> readAsk(in);
      case "R3" -> new RingMessage.Answer(in.number(), in.count(), optionalRef(in), readPart(in));
      case "T1" -> new RingMessage.Told(in.number(), in.count(), in.bytes());
      case "P3" -> readPiece(in);
      case "K1" -> new RingMessage.Taken(in.text(), in.count());
      case "H1" -> readHello(in);
      case "W3" -> new RingMessage.Welcome(Standing.read(in), in.kind() != 0);
      case "G1" -> new RingMessage.Waiting(in.text());
      case "F1" -> new RingMessage.Refused(in.text());
      case "N2" -> readPresence(in);
      default -> throw new BadMessageException("its kind is not known");
    };
  }

  private RingMessage.Hello readHello(WireInput in) {
    ActorRef<RingMessage> from = ref(in.text());
    NodeFacts facts = NodeFacts.read(in);
    if (facts.protocol() != NodeFacts.PROTOCOL) {
      // Nothing more of it is known.
      return new RingMessage.Hello(facts, Optional.empty(), Optional.empty(), from);
    }
    Optional<Claims> claims = in.kind() == 0 ? Optional.empty() : Optional.of(Claims.read(in));
    Optional<Standing> member = in.kind() == 0 ? Optional.empty() : Optional.of(Standing.read(in));
    return new RingMessage.Hello(facts, claims, member, from);
  }

  private RingMessage.Presence readPresence(WireInput in) {
    ActorRef<RingMessage> from = ref(in.text());
    List<String> heard = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      heard.add(in.text());
    }
    return new RingMessage.Presence(NodeFacts.read(in), heard, from);
  }

  private RingMessage.Ask readAsk(WireInput in) {
    int partition = in.small();
    long epoch = in.count();
    long number = in.number();
    long clock = in.count();
    ActorRef<RingMessage> from = ref(in.text());
    return new RingMessage.Ask(partition, epoch, number, clock, from, readPart(in));
  }

  private RingMessage.Piece readPiece(WireInput in) {
    int partition = (int) in.number();
    long number = in.number();
    return new RingMessage.Piece(partition, number, ref(in.text()), readPart(in));
  }

  private Optional<ActorRef<RingMessage>> optionalRef(WireInput in) {
    return Optional.of(in.text()).filter(path -> !path.isEmpty()).map(this::ref);
  }

  private static void part(Pieces.Part part, WireOutput out) {
    out.size(part.offset()).bytes(part.bytes());
  }

  private static Pieces.Part readPart(WireInput in) {
    return new Pieces.Part(in.small(), in.bytes());
  }

  private String path(ActorRef<RingMessage> ref) {
    return resolver().toSerializationFormat(ref);
  }

  private ActorRef<RingMessage> ref(String path) {
    return resolver().resolveActorRef(path);
  }

  private ActorRefResolver resolver() {
    return ActorRefResolver.get(Adapter.toTyped(system));
  }
}
