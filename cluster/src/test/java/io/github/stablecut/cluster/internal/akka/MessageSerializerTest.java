package io.github.stablecut.cluster.internal.akka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import akka.actor.ActorSystem;
import akka.actor.typed.javadsl.Adapter;
import akka.actor.typed.javadsl.Behaviors;
import akka.serialization.Serialization;
import akka.serialization.SerializationExtension;
import akka.serialization.Serializers;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.ReplicaShortage;
import io.github.stablecut.cluster.internal.membership.ClusterSummary;
import io.github.stablecut.cluster.internal.membership.DirectoryEpochs;
import io.github.stablecut.cluster.internal.membership.DirectoryOpenings;
import io.github.stablecut.cluster.internal.membership.GossipedDataCentres;
import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.cluster.internal.membership.MoveProgress;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.cluster.internal.wire.WireOutput;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.NodeOpening;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PartitionClaim;
import io.github.stablecut.internal.recovery.StoreIdentity;
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

/** The bytes of messages between nodes; malformed ones are refused. */
class MessageSerializerTest {
  private static ActorSystem system;
  private static Serialization serialization;
  private static List<NodeMessage> examples;

  @BeforeAll
  static void start() throws IOException {
    system =
        ActorSystem.create(
            "stablecut",
            AkkaConfig.of(
                new NodeSettings.Endpoint("127.0.0.1", Ports.free(1).get(0), Optional.empty())));
    serialization = SerializationExtension.get(system);
    NodeRef ref = new ActorNode(Adapter.spawn(system, Behaviors.<NodeMessage>empty(), "x"));
    GossipedNodeState facts =
        GossipedNodeState.builder("n1", "127.0.0.1:1", 7)
            .partitions(3)
            .formWith(2)
            .replicas(3)
            .plan(
                Optional.of(
                    NodePlan.builder(5, "n1", List.of("n1", "n2"))
                        .dataCentre(new LocalDataCentre(2))
                        .routing(-6)
                        .isFormed(true)
                        .replicas(List.of(List.of("n1", "n2", "n3"), List.of("n2", "n3", "n1")))
                        .build()))
            .owned(List.of(new GossipedNodeState.Ownership(2, "n1", 9)))
            .moves(
                List.of(
                    MoveProgress.builder(2, "n1", "n2", -7)
                        .phase(MoveProgress.Phase.FAILED)
                        .copied(4)
                        .total(5)
                        .pauseMicros(6)
                        .problem("why")
                        .build()))
            .isLeaving(true)
            .objectTypes(List.of("account 1 [pay]"))
            .dataCentre(
                Optional.of(
                    new GossipedDataCentres(
                        "127.0.0.1:7600",
                        Optional.of(Membership.founding(new StoreIdentity(5, 3))),
                        new GossipedDataCentres.ClusterProgress(
                            VectorClock.of(3), VectorClock.of(2)),
                        List.of(
                            new GossipedDataCentres.PartitionProgress(
                                2, VectorClock.of(5), VectorClock.of(4))),
                        VectorClock.of(6))))
            .openings(
                new DirectoryOpenings(
                    Optional.of(new NodeOpening("n1~0000002a", 3, -9)),
                    List.of(new NodeOpening("n2", 7, 8))))
            .clients("127.0.0.1:8087")
            .zone("rack 1")
            .replicasUpToDate(6)
            .shortages(List.of(new ReplicaShortage(2, 1, List.of("n2 is silent"))))
            .served(List.of(2, 5))
            .links("127/ab")
            .build();
    DirectoryEpochs claims =
        new DirectoryEpochs(
            Arrays.stream(PartitionClaim.Kind.values())
                .map(kind -> new PartitionClaim(kind.name().length(), kind, 9))
                .toList());
    ClusterSummary summary = new ClusterSummary("127.0.0.1:1", -5, -7, 3, 70_000);
    examples =
        List.of(
            new NodeMessage.Hello(facts, Optional.empty(), Optional.of(summary), ref),
            new NodeMessage.Hello(facts, Optional.of(claims), Optional.empty(), ref),
            new NodeMessage.Welcome(summary, true),
            new NodeMessage.Waiting("127.0.0.1:1", true),
            new NodeMessage.Refused(summary, "why"),
            new NodeMessage.Heartbeat(facts, List.of("127.0.0.1:1"), ref),
            new NodeMessage.Registration(3));
  }

  @AfterAll
  static void stop() {
    system.terminate();
  }

  @Test
  void everyMessageHasABinding() throws NotSerializableException {
    Class<?>[] kinds = NodeMessage.class.getPermittedSubclasses();
    assertThat(kinds).isNotEmpty();
    for (Class<?> kind : kinds) {
      assertThat(Modifier.isFinal(kind.getModifiers())).isTrue();
      assertThat(serialization.serializerFor(kind)).isInstanceOf(MessageSerializer.class);
      assertThat(examples).anyMatch(kind::isInstance);
    }
  }

  @Test
  void serializerHasItsFixedIdentifier() throws NotSerializableException {
    assertThat(serialization.serializerFor(NodeMessage.Hello.class).identifier())
        .isEqualTo(1_886_417_009);
  }

  @Test
  void readsMessagesAsTheyWereWritten() {
    for (NodeMessage message : examples) {
      byte[] bytes = serialization.serialize(message).get();
      String manifest = Serializers.manifestFor(serialization.findSerializerFor(message), message);

      Object read = serialization.deserialize(bytes, MessageSerializer.IDENTIFIER, manifest).get();

      assertThat(read).isEqualTo(message);
    }
  }

  @Test
  void readsAGreetingOfAnotherProtocolToAnswerIt() throws NotSerializableException {
    String from = "akka://stablecut@127.0.0.1:1/user/node#1";
    byte[] bytes =
        new WireOutput().text(from).size(1).text("n9").text("fields of another version").toArray();
    MessageSerializer serializer =
        (MessageSerializer) serialization.serializerFor(NodeMessage.Hello.class);

    NodeMessage.Hello hello = (NodeMessage.Hello) serializer.fromBinary(bytes, "H1");

    assertThat(hello.facts().protocol()).isEqualTo(1);
    assertThat(hello.facts().name()).isEqualTo("n9");
    assertThat(hello.epochs()).isEmpty();
  }

  @Test
  void refusesAndCountsDamagedMessages() throws NotSerializableException {
    Random random = new Random(7);
    MessageSerializer serializer =
        (MessageSerializer) serialization.serializerFor(NodeMessage.Hello.class);
    long before = MessageSerializer.refused();
    long refused = 0;
    for (int i = 0; i < 20_000; i++) {
      NodeMessage message = examples.get(random.nextInt(examples.size()));
      byte[] bytes = damaged(serializer.toBinary(message), random);
      try {
        assertThat(serializer.fromBinary(bytes, serializer.manifest(message))).isNotNull();
      } catch (NotSerializableException e) {
        refused++;
      }
    }
    assertThat(refused).isPositive();
    assertThat(MessageSerializer.refused() - before).isEqualTo(refused);
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
  void aFalseLengthAllocatesNoMemory() throws NotSerializableException {
    byte[] bytes = new WireOutput().text("").size(Integer.MAX_VALUE).toArray();
    MessageSerializer serializer =
        (MessageSerializer) serialization.serializerFor(NodeMessage.Hello.class);

    assertThatThrownBy(() -> serializer.fromBinary(bytes, "N2"))
        .isInstanceOf(NotSerializableException.class)
        .hasMessageContaining("2147483647 elements in 0 bytes");
  }

  @Test
  void refusesAnUnknownKind() throws NotSerializableException {
    MessageSerializer serializer =
        (MessageSerializer) serialization.serializerFor(NodeMessage.Hello.class);

    assertThatThrownBy(() -> serializer.fromBinary(new byte[0], "Z9"))
        .isInstanceOf(NotSerializableException.class)
        .hasMessageContaining("Z9");
  }
}
