package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.PartitionReplicaLocation;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.LogReplicator;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The number of replicas changes while a cluster serves. Its nodes run in one JVM. */
class ReplicasChangeTest {
  private static final int PARTITIONS = 2;

  @TempDir private Path directory;

  /** Limits above those permitted with replicas. */
  private static final StoreOptions.Limits LARGE =
      StoreOptions.Limits.defaults().withTransactionBytes(256 << 20).withValueBytes(256 << 20);

  private final List<NodeRuntime> nodes = new ArrayList<>();
  private List<Integer> ports = List.of();
  private long count;

  private NodeRuntime start(int number) {
    List<String> seeds = ports.subList(0, 3).stream().map(port -> "127.0.0.1:" + port).toList();
    return NodeRuntime.start(
        new NodeSettings(
            "n" + number,
            directory.resolve("n" + number),
            StoreOptions.defaults().withPartitions(PARTITIONS).withLimits(LARGE),
            new NodeSettings.Endpoint("127.0.0.1", ports.get(number), Optional.empty()),
            new NodeSettings.Formation(seeds, 3, 3),
            NodeSettings.MoveLimits.DEFAULT));
  }

  @AfterEach
  void stop() {
    nodes.forEach(NodeRuntime::close);
  }

  private static CounterKey key(int number) {
    return Key.counter("b", "k" + number);
  }

  /** Increments counters on all partitions and reads them. */
  private void assertServes(Store store) {
    count++;
    for (int i = 0; i < 4; i++) {
      while (true) {
        try {
          store.update(key(i).increment(1));
          break;
        } catch (StablecutException e) {
          // A leader may be deposed meanwhile, so the outcome may be unknown.
        }
      }
      assertThat(store.read(key(i))).isGreaterThanOrEqualTo(count);
    }
  }

  private static void assertRefusesLargeObjects(Store store) {
    RegisterKey<Bytes> register = Key.register("b", "large", Codec.bytes());
    Bytes value = Bytes.wrap(new byte[LogReplicator.MAX_TRANSACTION_BYTES]);

    assertThatThrownBy(() -> store.update(register.assign(value)))
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("are allowed where partitions have replicas");
  }

  private Stream<PartitionReplicaLocation> led() {
    return nodes.stream()
        .flatMap(node -> node.replicas().stream())
        .filter(replica -> replica.role() == PartitionReplicaLocation.Role.LEADS);
  }

  private void awaitReplicas(int number) throws Exception {
    Eventually.holds(
        "each partition has " + number + " replicas",
        () ->
            led().map(PartitionReplicaLocation::partition).distinct().count() == PARTITIONS
                && led()
                    .allMatch(
                        replica -> replica.voters().size() == number && replica.isComplete()));
  }

  /** Whether each partition is led by the first node in its plan. */
  private boolean isEven() {
    List<List<String>> replicas = nodes.get(1).plan().orElseThrow().replicas();
    return led()
        .map(replica -> Map.entry(replica.partition(), replica.replica()))
        .collect(Collectors.toSet())
        .equals(
            IntStream.range(0, PARTITIONS)
                .mapToObj(number -> Map.entry(number, replicas.get(number).get(0)))
                .collect(Collectors.toSet()));
  }

  private boolean isEvenOnceSpread() {
    try {
      nodes.get(1).spreadReplicas(Optional.empty());
    } catch (MoveRefusedException e) {
      // A partition has no leader for a moment.
    }
    return isEven();
  }

  @Test
  void aRestartedNodeLeadsItsPartitionsAgainAfterASpread() throws Exception {
    ports = Ports.free(3);
    for (int i = 0; i < 3; i++) {
      nodes.add(start(i));
    }
    Store store = nodes.get(2).await();
    assertServes(store);
    assertRefusesLargeObjects(store);
    nodes.get(0).close();
    nodes.set(0, start(0));
    nodes.get(0).await();
    awaitReplicas(3);
    assertThat(isEven()).isFalse();
    NodePlan before = nodes.get(1).plan().orElseThrow();

    Eventually.holds("each node leads its partitions again", this::isEvenOnceSpread);

    assertServes(store);
    assertThat(nodes.get(1).plan()).contains(before);
  }

  private Set<String> directories(int node) throws Exception {
    try (Stream<Path> files = Files.list(directory.resolve("n" + node))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.matches("p[0-9]+"))
          .collect(Collectors.toSet());
    }
  }

  @Test
  void changesFromThreeReplicasToFiveThenOneThenThreeWhileServing() throws Exception {
    ports = Ports.free(5);
    for (int i = 0; i < 3; i++) {
      nodes.add(start(i));
    }
    Store store = nodes.get(0).await();
    assertServes(store);
    assertThatThrownBy(() -> nodes.get(0).changeReplicas(5))
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContaining("too few for 5 replicas");
    for (int i = 3; i < 5; i++) {
      nodes.add(start(i));
      nodes.get(i).await();
    }
    Eventually.holds("all are known", () -> nodes.get(0).nodes().size() == 5);

    nodes.get(0).changeReplicas(5);
    nodes.get(0).changeReplicas(5);
    awaitReplicas(5);
    assertServes(store);
    assertThat(directories(4)).containsExactlyInAnyOrder("p0", "p1");
    assertThat(led().flatMap(replica -> replica.voters().stream()).distinct())
        .anyMatch(replica -> replica.startsWith("n3~"))
        .anyMatch(replica -> replica.startsWith("n4~"));

    // A node with new replicas keeps them after a restart.
    nodes.get(4).close();
    nodes.set(4, start(4));
    nodes.get(4).await();
    awaitReplicas(5);

    nodes.get(4).changeReplicas(1);
    awaitReplicas(1);
    assertServes(nodes.get(4).await());
    NodePlan plan = nodes.get(0).plan().orElseThrow();
    for (int i = 0; i < 5; i++) {
      int node = i;
      Set<String> left = new HashSet<>();
      plan.assignedTo("n" + node).forEach(number -> left.add("p" + number));
      Eventually.holds("surplus replicas are deleted", () -> directories(node).equals(left));
    }

    nodes.get(1).changeReplicas(3);
    awaitReplicas(3);
    assertServes(store);
    assertThat(nodes.get(2).plan().orElseThrow().changes()).hasSize(3);

    leave(0);
    assertServes(nodes.get(1).await());
  }

  private static void assertRefused(ThrowingCallable order, String... words) {
    assertThatThrownBy(order)
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContainingAll(words);
  }

  @Test
  void allCommandsNamePartitionsWhoseOnlyVoterIsLost() throws Exception {
    ports = Ports.free(3);
    for (int i = 0; i < 3; i++) {
      nodes.add(start(i));
    }
    assertServes(nodes.get(0).await());
    nodes.get(0).changeReplicas(1);
    awaitReplicas(1);
    PartitionReplicaLocation led =
        led().filter(replica -> !replica.replica().startsWith("n0")).findFirst().orElseThrow();
    String lost = Configuration.nodeOf(led.replica());
    String[] words = {
      "no replica can lead the partitions [%d]".formatted(led.partition()),
      "on the nodes [%s]".formatted(lost),
      "stablecut cluster recover DIR... --into NEW"
    };
    int index = Integer.parseInt(lost.substring(1));

    nodes.get(index).close();
    nodes.remove(index);
    FileTrees.delete(directory.resolve(lost));

    NodeRuntime left = nodes.get(0);
    Eventually.holds("the others have noticed the loss", () -> !left.nodes().contains(lost));
    assertRefused(() -> left.lostWith(Set.of(lost)), words);
    assertRefused(() -> left.replace(lost, "n9"), words);
    assertRefused(() -> left.changeReplicas(3), words);
  }

  /** A node hands its replicas to others and leaves. */
  private void leave(int number) throws Exception {
    NodeRuntime leaving = nodes.get(number);
    assertThatThrownBy(leaving::leave)
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContaining(
            "has replicas of partitions, or is a member of the configuration register");
    nodes.get(1).spreadReplicas(Optional.of("n" + number));
    Eventually.holds(
        "others have its replicas", () -> leaving.replicas().isEmpty() && !leaving.keepsRegister());
    awaitReplicas(3);
    leaving.leave();
    leaving.close();
    nodes.remove(leaving);
  }
}
