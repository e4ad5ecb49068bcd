package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.PartitionMove;
import io.github.stablecut.cluster.PartitionReplicaLocation;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.register.RatisRegister;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PlanChange;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.replication.Replication;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster that was formed with one replica of each partition gets three while it serves. Its
 * nodes run in one JVM.
 */
class ReplicaConversionTest {
  private static final int PARTITIONS = 4;
  private static final int KEYS = 8;
  private static final long PAUSE_NANOS = 3_000_000;

  @TempDir private Path directory;

  private final List<NodeRuntime> nodes = new ArrayList<>();
  private List<Integer> ports = List.of();
  private int seeds = 3;

  private NodeRuntime start(int number) {
    return start(number, StoreOptions.defaults());
  }

  private NodeRuntime start(int number, StoreOptions options) {
    List<String> addresses =
        ports.subList(0, seeds).stream().map(port -> "127.0.0.1:" + port).toList();
    return NodeRuntime.start(
        new NodeSettings(
            "n" + number,
            directory.resolve("n" + number),
            options.withPartitions(PARTITIONS),
            new NodeSettings.Endpoint("127.0.0.1", ports.get(number), Optional.empty()),
            new NodeSettings.Formation(addresses, 3, 0),
            NodeSettings.MoveLimits.DEFAULT));
  }

  @BeforeEach
  void form() throws Exception {
    ports = Ports.free(3);
    for (int i = 0; i < 3; i++) {
      nodes.add(start(i));
    }
    nodes.forEach(NodeRuntime::await);
  }

  @AfterEach
  void stop() {
    nodes.forEach(NodeRuntime::close);
  }

  private static CounterKey key(int number) {
    return Key.counter("b", "k" + number);
  }

  /** Increments two counters at a time, on all partitions, until it is stopped. */
  private static final class Writer {
    private final AtomicBoolean isEnding = new AtomicBoolean();
    private final long[] acknowledged = new long[KEYS];
    private final long[] unknown = new long[KEYS];
    private final AtomicLong count = new AtomicLong();

    /** The failures of updates. */
    private final List<String> failures = new ArrayList<>();

    private final CompletableFuture<Void> done;

    Writer(Store store) {
      done = CompletableFuture.runAsync(() -> write(store), task -> new Thread(task).start());
    }

    private void write(Store store) {
      for (int i = 0; !isEnding.get(); i = (i + 1) % KEYS) {
        int other = (i + 3) % KEYS;
        long[] outcomes = acknowledged;
        try {
          store.update(key(i).increment(1), key(other).increment(1));
          count.getAndIncrement();
          // Leave the processors to the conversion.
          LockSupport.parkNanos(PAUSE_NANOS);
        } catch (OutcomeUnknownException e) {
          outcomes = unknown;
        } catch (StablecutException e) {
          failures.add("k%d, k%d: %s".formatted(i, other, e));
          continue;
        }
        outcomes[i]++;
        outcomes[other]++;
      }
    }

    void awaitProgress() throws Exception {
      long before = count.get();
      Eventually.holds("there are more writes", () -> count.get() > before + 2 * KEYS);
    }

    void check(Store store) {
      isEnding.set(true);
      done.join();
      for (int i = 0; i < KEYS; i++) {
        assertThat(store.readLatest(key(i)))
            .as("counter %d; updates that failed: %s", i, failures)
            .isBetween(acknowledged[i], acknowledged[i] + unknown[i]);
      }
    }
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

  private boolean isAgreed(int number) {
    try {
      nodes.get(1).changeReplicas(number);
      return true;
    } catch (MoveRefusedException e) {
      // For example, a partition has no leader now.
      return false;
    }
  }

  private void move(int partition, String to) throws Exception {
    nodes.get(0).move(partition, to);
    Eventually.holds(
        "it has moved",
        () -> nodes.stream().allMatch(node -> hasMoved(node.partitions().get(partition), to)));
  }

  /** The new owner is known before the move is over. */
  private static boolean hasMoved(PartitionLocation location, String to) {
    return location.node().equals(to)
        && location.moves().stream()
            .allMatch(
                move ->
                    move.state() == PartitionMove.State.DONE
                        || move.state() == PartitionMove.State.FAILED);
  }

  @Test
  void eachPartitionGetsThreeReplicasAndThenOneWhileItIsWritten() throws Exception {
    // The plan names the initial owners, and this is another one.
    move(1, "n2");
    move(0, "n1");
    Writer writer = new Writer(nodes.get(0).await());
    writer.awaitProgress();
    assertThatThrownBy(() -> nodes.get(0).changeReplicas(5))
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContaining("too few for 5 replicas");
    assertThatThrownBy(() -> nodes.get(0).replace("n9", "n8"))
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContaining("cluster replicas 3");

    nodes.get(0).changeReplicas(3);
    nodes.get(2).changeReplicas(3);
    awaitReplicas(3);

    writer.awaitProgress();
    assertThat(led()).allMatch(replica -> replica.epoch() > 1_000_000);
    assertThatThrownBy(() -> nodes.get(0).move(1, "n1"))
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContaining("have replicas");
    nodes.get(1).changeReplicas(1);
    awaitReplicas(1);
    writer.awaitProgress();
    nodes.get(1).changeReplicas(3);
    awaitReplicas(3);
    writer.awaitProgress();
    writer.check(nodes.get(1).await());
  }

  @Test
  void doesNotStartWhileANodeCannotHaveReplicas() throws Exception {
    nodes.get(2).close();
    Replication replication = Replication.tcp("127.0.0.1:0");
    nodes.set(2, start(2, StoreOptions.defaults().withReplication(replication)));
    nodes.get(2).await();
    Eventually.holds(
        "the executing and the deciding node know it",
        () -> nodes.stream().allMatch(node -> node.nodes().size() == 3));

    assertThatThrownBy(() -> nodes.get(1).changeReplicas(3))
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContaining("node n2: a cluster with replicas")
        .hasMessageContaining("replication.listen");

    assertThat(nodes.get(0).plan().orElseThrow().isReplicated()).isFalse();
    move(2, "n0");
  }

  @Test
  void aNodeThatRestartsInTheMiddleContinues() throws Exception {
    Writer writer = new Writer(nodes.get(0).await());
    writer.awaitProgress();
    CompletableFuture<Void> ordered =
        CompletableFuture.runAsync(() -> nodes.get(0).changeReplicas(3));
    Eventually.holds(
        "it has learned of replicas",
        () -> nodes.get(2).plan().filter(NodePlan::isReplicated).isPresent());
    nodes.get(2).close();
    nodes.set(2, start(2));
    nodes.get(2).await();

    ordered.exceptionally(refused -> null).join();
    Eventually.holds("it is agreed on when the command is repeated", () -> isAgreed(3));
    awaitReplicas(3);
    writer.awaitProgress();
    writer.check(nodes.get(2).await());
  }

  /** Ends all nodes when two of them have recorded that there is a register. */
  private void endInTheMiddle() throws Exception {
    nodes.forEach(NodeRuntime::close);
    nodes.clear();
    for (String name : List.of("n0", "n1")) {
      try (NodeDirectory node = NodeDirectory.open(directory.resolve(name), name)) {
        NodePlan own = node.plan().orElseThrow();
        node.beginReplicas(
            own.withRegister(
                new PlanChange.Register(1L << 40, List.of("n0", "n1", "n2"), own.owners())),
            RatisRegister.BEGINS);
      }
    }
    Files.move(directory.resolve("n2"), directory.resolve("lost"));
  }

  /** Forgets a node that alone has recorded that there is a register, and restarts all nodes. */
  @Test
  @Tag("long")
  void aForgottenNodeThatStartsFirstDoesNotReplaceTheResetPartition() throws Exception {
    int partition = 2;
    CounterKey key = keyOf(partition);
    nodes.get(2).await().update(key.increment(5));
    nodes.get(2).close();
    nodes.remove(2);
    try (NodeDirectory node = NodeDirectory.open(directory.resolve("n2"), "n2")) {
      NodePlan own = node.plan().orElseThrow();
      node.beginReplicas(
          own.withRegister(
              new PlanChange.Register(1L << 40, List.of("n0", "n1", "n2"), own.owners())),
          RatisRegister.BEGINS);
    }
    Eventually.holds("the lost partitions are known", () -> isLost(Set.of(partition)));
    nodes.get(0).forget(Set.of("n2"), Set.of(partition));
    Store store = nodes.get(0).await();
    assertThat(store.update(key.increment(70))).isNotNull();
    Eventually.holds(
        "all know", () -> nodes.get(1).partitions().get(partition).node().equals("n0"));
    nodes.forEach(NodeRuntime::close);
    nodes.clear();

    nodes.add(start(1));
    try (NodeRuntime older = start(2)) {
      assertThatThrownBy(older::await).isInstanceOf(JoinRefusedException.class);
    }
    nodes.add(start(0));

    assertThat(nodes.get(1).await().readLatest(key)).isEqualTo(70);
  }

  private CounterKey keyOf(int partition) {
    Store store = nodes.get(0).await();
    return IntStream.range(0, 1_000)
        .mapToObj(ReplicaConversionTest::key)
        .filter(one -> store.partitionOf(one) == partition)
        .findFirst()
        .orElseThrow();
  }

  private boolean isLost(Set<Integer> partitions) {
    try {
      return Set.copyOf(nodes.get(0).lostWith(Set.of("n2"))).equals(partitions);
    } catch (MoveRefusedException e) {
      return false;
    }
  }

  @Test
  @Tag("long")
  void resetsLostPartitionsOfAForgottenNodeAndThenAddsReplicas() throws Exception {
    List<CounterKey> keys = IntStream.range(0, KEYS).mapToObj(ReplicaConversionTest::key).toList();
    Store before = nodes.get(0).await();
    for (CounterKey key : keys) {
      before.update(key.increment(5));
    }
    Set<Integer> lost = Set.of(2);
    assertThat(nodes.get(2).partitions().get(2).node()).isEqualTo("n2");
    endInTheMiddle();
    seeds = 2;
    nodes.add(start(0));
    nodes.add(start(1));
    Store store = nodes.get(0).await();
    Eventually.holds(
        "the others are led", () -> led().map(PartitionReplicaLocation::partition).count() == 3);
    assertThatThrownBy(() -> nodes.get(0).changeReplicas(3))
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContaining("the partitions [2] have no leader");
    Eventually.holds("the lost partitions are known", () -> isLost(lost));
    assertThatThrownBy(() -> nodes.get(0).lostWith(Set.of("n1")))
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContaining("node n1 is there");

    nodes.get(0).forget(Set.of("n2"), lost);

    Eventually.holds(
        "it is led",
        () -> led().anyMatch(replica -> replica.partition() == 2 && replica.epoch() > 1_000));
    for (CounterKey key : keys) {
      assertThat(store.readLatest(key)).isEqualTo(store.partitionOf(key) == 2 ? 0 : 5);
      store.update(key.increment(1));
    }
    assertThatThrownBy(() -> nodes.get(0).lostWith(Set.of("n2")))
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContaining("the loss of a minority of them loses no data");

    Files.move(directory.resolve("lost"), directory.resolve("n2"));
    try (NodeRuntime older = start(2)) {
      assertThatThrownBy(older::await)
          .isInstanceOf(JoinRefusedException.class)
          .hasMessageContaining("the cluster forgot node n2");
    }
    FileTrees.delete(directory.resolve("n2"));
    nodes.add(start(2));
    nodes.get(2).await();
    // The reset partition moves to it meanwhile, as planned.
    Eventually.holds("three replicas are agreed on", () -> isAgreed(3));
    awaitReplicas(3);
  }
}
