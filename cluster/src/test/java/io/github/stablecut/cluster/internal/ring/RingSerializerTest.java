package io.github.stablecut.cluster.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import akka.actor.ActorSystem;
import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Adapter;
import akka.actor.typed.javadsl.Behaviors;
import akka.serialization.Serialization;
import akka.serialization.SerializationExtension;
import akka.serialization.Serializers;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PartitionClaim;
import java.io.IOException;
import java.io.NotSerializableException;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Messages between nodes: each has bytes of its own, and other bytes harm nobody. */
class RingSerializerTest {
  private static ActorSystem system;
  private static Serialization serialization;
  private static List<RingMessage.OnWire> examples;

  @BeforeAll
  static void start() throws IOException {
    system =
        ActorSystem.create(
            "stablecut",
            RingConfig.of(
                new RingSettings.Endpoint("127.0.0.1", Ports.free(1).get(0), Optional.empty())));
    serialization = SerializationExtension.get(system);
    ActorRef<RingMessage> ref = Adapter.spawn(system, Behaviors.<RingMessage>empty(), "x");
    Pieces.Part part = new Pieces.Part(3, Bytes.utf8("some bytes"));
    NodeFacts facts =
        new NodeFacts(
            NodeFacts.PROTOCOL,
            "n1",
            "127.0.0.1:1",
            7,
            3,
            2,
            Optional.of(new NodePlan(5, "n1", List.of("n1", "n2", "n1"), true)),
            List.of(new NodeFacts.Ownership(2, "n1", 9)),
            List.of(new MoveFacts(2, "n1", "n2", MoveFacts.Phase.FAILED, 4, 5, 6, "why", -7)),
            false,
            true);
    Claims claims =
        new Claims(
            Arrays.stream(PartitionClaim.Kind.values())
                .map(kind -> new PartitionClaim(kind.name().length(), kind, 9))
                .toList());
    Standing standing = new Standing("127.0.0.1:1", -5, -7, 3, 70_000);
    examples =
        List.of(
            new RingMessage.Ask(1, 2, 3, 4, ref, part),
            new RingMessage.Answer(-3, 4, Optional.empty(), part),
            new RingMessage.Answer(-3, 4, Optional.of(ref), part),
            new RingMessage.Taken("127.0.0.1:1", 7),
            new RingMessage.Told(-1, 4, part.bytes()),
            new RingMessage.Piece(RingMessage.Piece.ANSWER, 3, ref, part),
            new RingMessage.Hello(facts, Optional.empty(), Optional.of(standing), ref),
            new RingMessage.Hello(facts, Optional.of(claims), Optional.empty(), ref),
            new RingMessage.Welcome(standing, true),
            new RingMessage.Waiting("127.0.0.1:1"),
            new RingMessage.Refused("why"),
            new RingMessage.Presence(facts, List.of("127.0.0.1:1"), ref));
  }

  @AfterAll
  static void stop() {
    var unused = system.terminate();
  }

  @Test
  void everyMessageHasABinding() throws NotSerializableException {
    Class<?>[] kinds = RingMessage.OnWire.class.getPermittedSubclasses();
    assertThat(kinds).isNotEmpty();
    for (Class<?> kind : kinds) {
      assertThat(Modifier.isFinal(kind.getModifiers())).isTrue();
      assertThat(serialization.serializerFor(kind)).isInstanceOf(RingSerializer.class);
      assertThat(examples).anyMatch(kind::isInstance);
    }
  }

  @Test
  void theNumberOfTheSerializerIsWritten() throws NotSerializableException {
    assertThat(serialization.serializerFor(RingMessage.Ask.class).identifier())
        .isEqualTo(1_886_417_009);
  }

  @Test
  void aMessageIsReadAsItWasWritten() {
    for (RingMessage.OnWire message : examples) {
      byte[] bytes = serialization.serialize(message).get();
      String manifest = Serializers.manifestFor(serialization.findSerializerFor(message), message);

      Object read = serialization.deserialize(bytes, RingSerializer.IDENTIFIER, manifest).get();

      assertThat(read).isEqualTo(message);
    }
  }

  @Test
  void aGreetingOfAnotherProtocolIsReadSoThatItCanBeAnswered() throws NotSerializableException {
    String from = "akka://stablecut@127.0.0.1:1/user/node#1";
    byte[] bytes =
        new WireOutput().text(from).size(1).text("n9").text("what only that has").toArray();
    RingSerializer serializer = (RingSerializer) serialization.serializerFor(RingMessage.Ask.class);

    RingMessage.Hello hello = (RingMessage.Hello) serializer.fromBinary(bytes, "H1");

    assertThat(hello.facts().protocol()).isEqualTo(1);
    assertThat(hello.facts().name()).isEqualTo("n9");
    assertThat(hello.claims()).isEmpty();
  }

  @Test
  void whatNoNodeSendsIsRefusedAndCounted() throws NotSerializableException {
    Random random = new Random(7);
    RingSerializer serializer = (RingSerializer) serialization.serializerFor(RingMessage.Ask.class);
    long before = RingSerializer.refused();
    long refused = 0;
    for (int i = 0; i < 20_000; i++) {
      RingMessage.OnWire message = examples.get(random.nextInt(examples.size()));
      byte[] bytes = damaged(serializer.toBinary(message), random);
      try {
        var unused = serializer.fromBinary(bytes, serializer.manifest(message));
      } catch (NotSerializableException e) {
        refused++;
      }
    }
    assertThat(refused).isPositive();
    assertThat(RingSerializer.refused() - before).isEqualTo(refused);
  }

  private static byte[] damaged(byte[] bytes, Random random) {
    byte[] copy =
        random.nextBoolean() ? Arrays.copyOf(bytes, random.nextInt(bytes.length + 9)) : bytes;
    for (int i = random.nextInt(4); i > 0 && copy.length > 0; i--) {
      copy[random.nextInt(copy.length)] = (byte) random.nextInt();
    }
    return copy;
  }

  @Test
  void aLengthThatIsNotThereTakesNoMemory() throws NotSerializableException {
    byte[] bytes =
        new WireOutput().number(1).number(1).text("").size(0).size(Integer.MAX_VALUE).toArray();
    RingSerializer serializer = (RingSerializer) serialization.serializerFor(RingMessage.Ask.class);

    assertThatThrownBy(() -> serializer.fromBinary(bytes, "R3"))
        .isInstanceOf(NotSerializableException.class)
        .hasMessageContaining("2147483647 things in 0 bytes");
  }

  @Test
  void anUnknownKindIsRefused() throws NotSerializableException {
    RingSerializer serializer = (RingSerializer) serialization.serializerFor(RingMessage.Ask.class);

    assertThatThrownBy(() -> serializer.fromBinary(new byte[0], "Z9"))
        .isInstanceOf(NotSerializableException.class)
        .hasMessageContaining("Z9");
  }
}
