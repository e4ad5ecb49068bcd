package io.github.stablecut.cluster.internal.akka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import akka.actor.ActorSystem;
import akka.actor.AddressFromURIString;
import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Adapter;
import akka.actor.typed.javadsl.Behaviors;
import akka.cluster.typed.Cluster;
import akka.cluster.typed.Join;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.internal.membership.DirectoryEpochs;
import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.membership.OwnershipConflict;
import io.github.stablecut.cluster.internal.node.NodeRuntime;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A member fails if it hears of another owner of its partition, unless its own epoch is greater.
 */
@SuppressWarnings(
    "serial") // Akka's function types are serializable; these functions are never serialized
class OwnershipConflictTest {
  @TempDir private Path directory;

  private static GossipedNodeState facts(
      String name, String address, GossipedNodeState.Ownership... owned) {
    return GossipedNodeState.builder(
            name,
            address,
            new NodeClock(
                    EmbeddedStore.clock(StoreOptions.defaults()), NodeSettings.DEFAULT_CLOCK_DRIFT)
                .now())
        .owned(List.of(owned))
        .build();
  }

  private static GossipedNodeState.Ownership owned(int partition, String node, long epoch) {
    return new GossipedNodeState.Ownership(partition, node, epoch);
  }

  private static String conflict(GossipedNodeState.Ownership heard) {
    // The node's own state includes the partition that it gave away.
    GossipedNodeState self = facts("n1", "127.0.0.1:1", owned(0, "n1", 5), owned(1, "n2", 1_005));
    return OwnershipConflict.ofOwners(self.name(), self.owned(), List.of(owned(2, "n3", 9), heard))
        .orElse("");
  }

  @Test
  void theNodeWithTheSmallerEpochFails() {
    assertThat(conflict(owned(0, "n2", 1_005)))
        .contains("node n1 has partition 0 open at epoch 5")
        .contains("node n2 owns it at epoch 1005")
        .contains("the directory of node n1 is an older copy")
        .contains("restore the node's newest directory");
    assertThat(conflict(owned(0, "n2", 4))).isEmpty();
  }

  @Test
  void atEqualEpochsBothFail() {
    assertThat(conflict(owned(0, "n2", 5)))
        .contains("node n2 owns it at epoch 5")
        .contains("the directory of one of them is an older copy, so both end");
  }

  @Test
  void aNodeFailsIfItServedThePartitionAtAGreaterEpoch() {
    assertThat(conflict(owned(0, "n1", 6)))
        .contains("node n1 has partition 0 open at epoch 5")
        .contains("the other nodes know of it at epoch 6");
    assertThat(conflict(owned(0, "n1", 5))).isEmpty();
  }

  @Test
  void partitionsThatAreNotOpenAreInNoConflict() {
    assertThat(conflict(owned(1, "n2", 2_005))).isEmpty();
    assertThat(conflict(owned(1, "n1", 2_005))).isEmpty();
    assertThat(conflict(owned(3, "n2", 7))).isEmpty();
  }

  /** A member of a node's cluster whose messages a test controls. */
  private static final class RivalNode implements AutoCloseable {
    private final NodeRuntime node;
    private final int port;
    private final ActorSystem system;
    private final String address;

    RivalNode(NodeRuntime node, int port) throws Exception {
      this.node = node;
      this.port = port;
      NodeSettings.Endpoint own =
          new NodeSettings.Endpoint("127.0.0.1", Ports.free(1).get(0), Optional.empty());
      this.address = own.address();
      this.system = AkkaSystem.start("stablecut", own, new TlsRefusals(System::nanoTime));
      Cluster.get(Adapter.toTyped(system))
          .manager()
          .tell(new Join(AddressFromURIString.parse("akka://stablecut@127.0.0.1:" + port)));
      Eventually.holds("it is a member", () -> this.node.members().contains(address));
    }

    void sendHeartbeat(String name, GossipedNodeState.Ownership... owned) {
      ActorRef<NodeMessage> nobody =
          Adapter.spawn(system, Behaviors.<NodeMessage>empty(), "nobody" + System.nanoTime());
      tell(
          new NodeMessage.Heartbeat(
              facts(name, address, owned), List.of("127.0.0.1:" + port), new ActorNode(nobody)));
    }

    /** Waits until the node has processed all earlier messages. */
    void awaitProcessed() {
      assertThat(requestAdmission(Optional.empty()).join()).isNotNull();
    }

    /** Requests admission; completes with the answer. */
    CompletableFuture<NodeMessage> requestAdmission(Optional<DirectoryEpochs> claims) {
      CompletableFuture<NodeMessage> answer = new CompletableFuture<>();
      ActorRef<NodeMessage> ear =
          Adapter.spawn(
              system,
              Behaviors.receiveMessage(
                  message -> {
                    answer.complete(message);
                    return Behaviors.same();
                  }),
              "ear" + System.nanoTime());
      tell(
          new NodeMessage.Hello(
              facts("n9", address), claims, Optional.empty(), new ActorNode(ear)));
      return answer;
    }

    private void tell(NodeMessage message) {
      system
          .actorSelection("akka://stablecut@127.0.0.1:" + port + "/user/" + NodeActor.NAME)
          .tell(message, akka.actor.ActorRef.noSender());
    }

    @Override
    public void close() {
      system.terminate();
      assertThat(system.getWhenTerminated().toCompletableFuture().join()).isNotNull();
    }
  }

  private NodeRuntime start(int port) {
    NodeRuntime node =
        NodeRuntime.start(
            new NodeSettings(
                "n1",
                directory.resolve("n1"),
                StoreOptions.defaults().withPartitions(1),
                new NodeSettings.Endpoint("127.0.0.1", port, Optional.empty()),
                new NodeSettings.Formation(List.of(), 1),
                NodeSettings.MoveLimits.DEFAULT));
    assertThat(node.await()).isNotNull();
    return node;
  }

  private static String end(NodeRuntime node) throws Exception {
    Eventually.holds("it ends", () -> node.ended().isDone());
    RuntimeException why = node.ended().join();
    assertThat(why).isInstanceOf(JoinRefusedException.class);
    return String.valueOf(why.getMessage());
  }

  private static int port() throws IOException {
    return Ports.free(1).get(0);
  }

  @Test
  void aMemberFailsIfItHearsOfAnEpochNotBelowItsOwn() throws Exception {
    int port = port();
    try (NodeRuntime node = start(port);
        RivalNode stranger = new RivalNode(node, port)) {
      stranger.sendHeartbeat("n9", owned(0, "n9", 0));
      stranger.awaitProcessed();
      assertThat(node.ended()).isNotDone();

      stranger.sendHeartbeat("n9", owned(0, "n9", 1));

      assertThat(end(node)).contains("partition 0 open at epoch 1", "node n9 owns it at epoch 1");
    }
  }

  @Test
  void aMemberFailsIfItMeetsAnotherOfItsName() throws Exception {
    int port = port();
    try (NodeRuntime node = start(port);
        RivalNode stranger = new RivalNode(node, port)) {
      stranger.sendHeartbeat("n1");

      assertThat(end(node))
          .contains("there are two nodes n1, at 127.0.0.1:" + port)
          .contains("and at " + stranger.address);
    }
  }

  @Test
  void aNodeWithDataIsAnsweredOnceAllMembersHaveReported() throws Exception {
    long begun = System.nanoTime();
    Optional<DirectoryEpochs> claims = Optional.of(new DirectoryEpochs(List.of()));
    int port = port();
    try (NodeRuntime node = start(port);
        RivalNode stranger = new RivalNode(node, port)) {
      CompletableFuture<NodeMessage> early = stranger.requestAdmission(claims);
      stranger.awaitProcessed();
      boolean isAnswered = early.isDone();
      assumeTrue(
          System.nanoTime() - begun < 10_000_000_000L,
          "SKIPPED: this machine is so busy that the node has stopped waiting for other members");
      assertThat(isAnswered).isFalse();

      stranger.sendHeartbeat("n9");

      assertThat(stranger.requestAdmission(claims).join()).isNotNull();
    }
  }
}
