package io.github.stablecut.cluster.internal.akka;

import static org.assertj.core.api.Assertions.assertThat;

import akka.actor.ActorSystem;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Adapter;
import akka.actor.typed.javadsl.Behaviors;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.node.NodeRuntime;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An address may be reused by another node, or by a node of another cluster. */
@SuppressWarnings(
    "serial") // Akka's function types are serializable; these functions are never serialized
class ReusedAddressTest {
  @TempDir private Path directory;

  private final List<NodeRuntime> nodes = new ArrayList<>();

  private NodeRuntime start(String name, int port, List<Integer> seeds, int formWith) {
    NodeRuntime node =
        NodeRuntime.start(
            new NodeSettings(
                name,
                directory.resolve(name),
                StoreOptions.defaults(),
                new NodeSettings.Endpoint("127.0.0.1", port, Optional.empty()),
                new NodeSettings.Formation(
                    seeds.stream().map(seed -> "127.0.0.1:" + seed).toList(), formWith),
                NodeSettings.MoveLimits.DEFAULT));
    nodes.add(node);
    return node;
  }

  @AfterEach
  void stop() {
    nodes.forEach(NodeRuntime::close);
  }

  @Test
  void aNodeWhoseAddressIsReusedReturnsAtAnotherAddress() throws Exception {
    List<Integer> ports = Ports.free(3);
    List<Integer> seeds = ports.subList(0, 1);
    NodeRuntime first = start("n1", ports.get(0), seeds, 2);
    NodeRuntime second = start("n2", ports.get(1), seeds, 2);
    assertThat(first.await()).isNotNull();
    assertThat(second.await()).isNotNull();
    second.close();

    Store newcomers = start("n3", ports.get(1), seeds, 1).await();

    // n3 may serve before n1 knows it.
    Eventually.holds("n1 knows n3", () -> first.nodes().equals(Set.of("n1", "n3")));
    assertThat(first.partitions())
        .filteredOn(place -> place.node().equals("n2"))
        .isNotEmpty()
        .noneMatch(PartitionLocation::isReachable);
    Store back = start("n2", ports.get(2), seeds, 1).await();
    assertThat(back).isNotSameAs(newcomers);
    Eventually.holds(
        "all partitions are reachable",
        () -> first.partitions().stream().allMatch(PartitionLocation::isReachable));
  }

  @Test
  void ignoresHeartbeatsOfNonMembers() throws Exception {
    List<Integer> ports = Ports.free(2);
    NodeRuntime node = start("n1", ports.get(0), ports.subList(0, 1), 1);
    assertThat(node.await()).isNotNull();
    List<PartitionLocation> before = node.partitions();
    NodeSettings.Endpoint own =
        new NodeSettings.Endpoint("127.0.0.1", ports.get(1), Optional.empty());
    ActorSystem system = AkkaSystem.start("stablecut", own, new TlsRefusals(System::nanoTime));
    try {
      CompletableFuture<NodeMessage> answer = new CompletableFuture<>();
      NodeRef stranger = new ActorNode(Adapter.spawn(system, into(answer), "stranger"));
      GossipedNodeState facts = facts("n9", own.address());

      tell(system, ports.get(0), new NodeMessage.Heartbeat(facts, List.of(), stranger));
      // This message arrives after the heartbeat, and is answered.
      tell(
          system,
          ports.get(0),
          new NodeMessage.Hello(facts, Optional.empty(), Optional.empty(), stranger));

      assertThat(answer.join()).isInstanceOf(NodeMessage.Refused.class);
      assertThat(node.partitions())
          .usingRecursiveFieldByFieldElementComparatorIgnoringFields("lag")
          .isEqualTo(before);
    } finally {
      var terminated = system.terminate();
      assertThat(system.getWhenTerminated().toCompletableFuture().join()).isNotNull();
      assertThat(terminated.isCompleted()).isTrue();
    }
  }

  /** A node of another store, whose partitions were opened more often. */
  private static GossipedNodeState facts(String name, String address) {
    NodePlan plan = new NodePlan(7, name, List.of(name), true);
    return GossipedNodeState.builder(
            name,
            address,
            new NodeClock(
                    EmbeddedStore.clock(StoreOptions.defaults()), NodeSettings.DEFAULT_CLOCK_DRIFT)
                .now())
        .plan(Optional.of(plan))
        .owned(List.of(new GossipedNodeState.Ownership(0, name, 1_000)))
        .build();
  }

  private static Behavior<NodeMessage> into(CompletableFuture<NodeMessage> answer) {
    return Behaviors.receiveMessage(
        message -> {
          answer.complete(message);
          return Behaviors.same();
        });
  }

  private static void tell(ActorSystem system, int port, NodeMessage message) {
    system
        .actorSelection("akka://stablecut@127.0.0.1:" + port + "/user/" + NodeActor.NAME)
        .tell(message, akka.actor.ActorRef.noSender());
  }
}
