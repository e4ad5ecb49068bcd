package io.github.stablecut.cluster.command.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.BackupProgress;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.ClusterNode;
import io.github.stablecut.cluster.ClusterSettings;
import io.github.stablecut.cluster.Endpoint;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.PartitionReplicaLocation;
import io.github.stablecut.cluster.command.BackupVerify;
import io.github.stablecut.cluster.command.CommandResult;
import io.github.stablecut.cluster.command.ToolsSchema;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.cluster.internal.remote.SmallDisk;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster is backed up while it serves, and restored into stores and clusters of other sizes. */
final class ClusterBackupTest {
  private static final int PARTITIONS = 4;
  private static final int PAIRS = 8;

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withPartitions(PARTITIONS)
          .withCheckpoints(CheckpointPolicy.defaults().withEffects(200));

  @TempDir private Path directory;

  /** An acknowledged commit. */
  private record AcknowledgedCommit(int writer, int pair, VectorClock at) {}

  private final Queue<AcknowledgedCommit> history = new ConcurrentLinkedQueue<>();
  private final List<ClusterNode> nodes = new ArrayList<>();
  private List<Integer> ports = List.of();

  private static CounterKey left(int pair) {
    return Key.counter("pairs", "left" + pair);
  }

  private static CounterKey right(int pair) {
    return Key.counter("pairs", "right" + pair);
  }

  private static CounterKey written(int writer) {
    return Key.counter("written", "" + writer);
  }

  private ClusterSettings settings(String name, int port, List<Integer> seeds, int replicas) {
    return ClusterSettings.builder(
            name,
            Endpoint.loopback(ports.get(port)),
            seeds.stream().map(seed -> address(seed)).toList())
        .moveBytesPerSecond(Long.MAX_VALUE)
        .replicas(replicas)
        .build();
  }

  private String address(int port) {
    return "127.0.0.1:" + ports.get(port);
  }

  @CanIgnoreReturnValue
  private ClusterNode start(String name, int port, List<Integer> seeds, int replicas) {
    ClusterNode node =
        ClusterNode.join(directory.resolve(name), OPTIONS, settings(name, port, seeds, replicas));
    nodes.add(node);
    return node;
  }

  @AfterEach
  void close() {
    nodes.forEach(ClusterNode::close);
  }

  private CommandResult run(Object command, Object... args) {
    return CommandResult.of(command, args);
  }

  private void write(Store store, int writer) {
    int pair = ThreadLocalRandom.current().nextInt(PAIRS);
    CausalToken token =
        store.update(
            left(pair).increment(1), right(pair).increment(1), written(writer).increment(1));
    history.add(new AcknowledgedCommit(writer, pair, token.vector()));
  }

  /** What a test does while writers run. */
  @FunctionalInterface
  private interface Work {
    void run() throws Exception;
  }

  /** Writes through each node while a test does something. */
  private void whileWriting(List<ClusterNode> by, Work work) throws Exception {
    AtomicBoolean isDone = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(by.size());
    List<Future<?>> writers = new ArrayList<>();
    for (int i = 0; i < by.size(); i++) {
      int writer = i;
      Store store = by.get(i).store();
      writers.add(
          threads.submit(
              () -> {
                while (!isDone.get()) {
                  write(store, writer);
                }
              }));
    }
    try {
      work.run();
    } finally {
      isDone.set(true);
      threads.shutdown();
    }
    for (Future<?> writer : writers) {
      writer.get();
    }
  }

  private void awaitCommits(int more) throws Exception {
    int wanted = history.size() + more;
    Eventually.holds("writers continue", () -> history.size() >= wanted);
  }

  /** Compares a snapshot with the commits that were acknowledged up to its vector. */
  private void check(Snapshot snapshot, VectorClock at) {
    List<AcknowledgedCommit> seen =
        history.stream().filter(one -> one.at.isAtOrBefore(at)).toList();
    for (int i = 0; i < 2; i++) {
      int writer = i;
      assertThat(snapshot.read(written(i)))
          .as("writer %d at %s", i, at)
          .isEqualTo(seen.stream().filter(one -> one.writer == writer).count());
    }
    for (int i = 0; i < PAIRS; i++) {
      int pair = i;
      long number = seen.stream().filter(one -> one.pair == pair).count();
      assertThat(snapshot.read(left(i))).as("pair %d at %s", i, at).isEqualTo(number);
      assertThat(snapshot.read(right(i))).as("pair %d at %s", i, at).isEqualTo(number);
    }
  }

  /** Compares a store with the history at the backup's snapshot and at earlier ones. */
  private void check(Store store, VectorClock at) {
    check(store.snapshot(), at);
    checkHistory(store, at);
  }

  private void checkHistory(Store store, VectorClock until) {
    List<VectorClock> all =
        history.stream().map(AcknowledgedCommit::at).filter(at -> at.isAtOrBefore(until)).toList();
    long id = store.snapshot().token().storeId();
    for (int i = 0; i < all.size(); i += Math.max(1, all.size() / 8)) {
      check(store.at(new CausalToken(id, all.get(i))), all.get(i));
    }
  }

  private static void move(ClusterNode by, int partition, String to) {
    try {
      Eventually.holds(to + " is known", () -> by.nodes().contains(to));
      by.move(partition, to);
      Eventually.holds(
          "partition " + partition + " is on " + to,
          () -> by.partitions().get(partition).node().equals(to));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void restoresIntoAStoreAndIntoClustersOfOneTwoAndThreeNodes() throws Exception {
    ToolsSchema schema = ToolsSchema.read();
    ports = Ports.free(5);
    ClusterNode first = start("n0", 0, List.of(0, 1), 0);
    ClusterNode second = start("n1", 1, List.of(0, 1), 0);
    Path backup = directory.resolve("backup");
    VectorClock[] at = new VectorClock[2];
    whileWriting(
        List.of(first, second),
        () -> {
          awaitCommits(200);
          int acknowledged = history.size();
          CommandResult done = run(new ClusterBackup(), backup, "--join", address(0), "--json");
          assertThat(done.code()).as(done.err()).isZero();
          JsonNode report = schema.check("cluster backup", done).get(0);
          assertThat(report.path("partitions").asInt()).isEqualTo(PARTITIONS);
          at[0] = CausalToken.parse(report.path("token").asText()).vector();
          assertThat(history.stream().limit(acknowledged))
              .allMatch(one -> one.at.isAtOrBefore(at[0]));

          // During the second backup, the partition that it reads and a later one move.
          String elsewhere = first.partitions().get(0).node().equals("n0") ? "n1" : "n0";
          AtomicBoolean isMoved = new AtomicBoolean();
          at[1] =
              second
                  .store()
                  .backup(
                      directory.resolve("moved"),
                      (bytes, total) -> {
                        if (!isMoved.getAndSet(true)) {
                          move(first, 0, elsewhere);
                          move(first, 2, elsewhere);
                        }
                      })
                  .vector();
          awaitCommits(50);
        });
    CausalToken old = first.store().snapshot().token();

    Stablecut.restore(
        directory.resolve("moved"), directory.resolve("moved store"), BackupProgress.NONE);
    try (Store store = Stablecut.open(directory.resolve("moved store"))) {
      check(store, at[1]);
    }
    assertThat(run(new BackupVerify(), backup).out()).contains("all is well", "4 partitions");
    Stablecut.restore(backup, directory.resolve("store"), BackupProgress.NONE);
    try (Store store = Stablecut.open(directory.resolve("store"))) {
      check(store, at[0]);
    }

    CommandResult restored =
        run(new ClusterRestore(), backup, directory.resolve("r1"), "--node", "r1", "--json");
    assertThat(restored.code()).as(restored.err()).isZero();
    assertThat(schema.check("cluster restore", restored)).hasSize(1);
    assertThat(run(new ClusterRestore(), backup, directory.resolve("r1"), "--node", "r1").err())
        .contains("is not empty");
    assertThat(run(new ClusterRestore(), backup, directory.resolve("r2"), "--node", "a b").err())
        .contains("a node's name is");
    ClusterNode one = start("r1", 2, List.of(2), 0);
    check(one.store(), at[0]);
    assertThatThrownBy(() -> one.store().at(old)).isInstanceOf(UnknownSnapshotException.class);

    ClusterNode two = start("r2", 3, List.of(2), 0);
    check(two.store(), at[0]);
    move(one, 0, "r2");
    check(two.store(), at[0]);
    ClusterNode three = start("r3", 4, List.of(2), 0);
    assertThat(three.store()).isNotNull();
    move(one, 1, "r3");
    check(three.store(), at[0]);
    check(two.store(), at[0]);

    long[] before = {three.store().read(left(0)), one.store().read(written(0))};
    for (int i = 0; i < 30; i++) {
      Store store = (i % 2 == 0 ? two : three).store();
      store.update(left(0).increment(1), right(0).increment(1), written(0).increment(1));
    }
    Snapshot now = one.store().latest();
    assertThat(now.read(left(0))).isEqualTo(before[0] + 30);
    assertThat(now.read(right(0))).isEqualTo(before[0] + 30);
    assertThat(now.read(written(0))).isEqualTo(before[1] + 30);
    checkHistory(two.store(), at[0]);

    second.close();
    assertThatThrownBy(() -> start("n1", 1, List.of(2), 0).store())
        .isInstanceOf(JoinRefusedException.class);
    failsWithoutANode();
  }

  private void failsWithoutANode() {
    Path target = directory.resolve("never");

    CommandResult refused = run(new ClusterBackup(), target, "--join", address(0));

    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err()).contains("n1").contains("partition");
    assertThat(target).doesNotExist();
  }

  @Test
  void namesAFullTargetAndLeavesNothing() throws Exception {
    try (SmallDisk disk = new SmallDisk(directory.resolve("small"), 1)) {
      ports = Ports.free(1);
      Store store = start("n0", 0, List.of(0), 0).store();
      for (int i = 0; i < 40; i++) {
        store.update(Key.register("b", "" + i, Codec.string()).assign("x".repeat(50_000)));
      }

      CommandResult full = run(new ClusterBackup(), disk.directory("backup"), "--join", address(0));

      assertThat(full.code()).isEqualTo(1);
      assertThat(full.err()).contains("backup can't be written").contains("No space left");
      assertThat(disk.directory("backup")).doesNotExist();
      store.update(written(0).increment(1));
    }
  }

  /** The leader of the partition being read stops, and another replica takes over. */
  @Test
  @Tag("long")
  void continuesWithAnotherReplicaIfTheLeaderStops() throws Exception {
    ports = Ports.free(3);
    for (int i = 0; i < 3; i++) {
      start("n" + i, i, List.of(0, 1, 2), 3);
    }
    for (ClusterNode node : nodes) {
      assertThat(node.store()).isNotNull();
    }
    Eventually.holds("all partitions have leaders", () -> leader(0).isPresent());
    for (int i = 0; i < 200; i++) {
      writeWithRetries(i % 2);
    }
    ClusterNode leader = leader(0).orElseThrow();
    ClusterNode other = nodes.get(nodes.indexOf(leader) == 0 ? 1 : 0);
    AtomicBoolean isClosed = new AtomicBoolean();

    CausalToken token =
        other
            .store()
            .backup(
                directory.resolve("backup"),
                (bytes, total) -> {
                  if (!isClosed.getAndSet(true)) {
                    leader.close();
                  }
                });

    Stablecut.restore(
        directory.resolve("backup"), directory.resolve("restored"), BackupProgress.NONE);
    try (Store store = Stablecut.open(directory.resolve("restored"))) {
      check(store, token.vector());
    }
    assertThat(isClosed).isTrue();
    nodes.forEach(ClusterNode::close);
    restoreWithReplicas(directory.resolve("backup"), token.vector());
  }

  /** A new cluster starts with one replica of each partition, gets three, and loses the first. */
  private void restoreWithReplicas(Path backup, VectorClock at) throws Exception {
    nodes.clear();
    CommandResult restored =
        run(
            new ClusterRestore(),
            backup,
            directory.resolve("r0"),
            "--node",
            "r0",
            "--with-replicas");
    assertThat(restored.out()).as(restored.err()).contains("cluster replicas 3");
    check(start("r0", 0, List.of(0, 1, 2), 0).store(), at);
    for (int i = 1; i < 3; i++) {
      assertThat(start("r" + i, i, List.of(0, 1, 2), 0).store()).isNotNull();
    }
    Eventually.holds("all are known", () -> nodes.get(1).nodes().size() == 3);
    nodes.get(1).changeReplicas(3);
    Eventually.holds("each partition has three replicas", this::haveThreeReplicas);
    check(nodes.get(2).store(), at);

    nodes.get(0).close();
    Eventually.holds(
        "others lead",
        () ->
            nodes.get(1).partitions().stream()
                .allMatch(location -> location.isReachable() && !location.node().equals("r0")));
    for (int i = 1; i < 3; i++) {
      check(nodes.get(i).store(), at);
    }
    long before = nodes.get(1).store().read(left(0));
    nodes.get(2).store().update(left(0).increment(1), right(0).increment(1));
    assertThat(nodes.get(1).store().readLatest(left(0))).isEqualTo(before + 1);
  }

  private boolean haveThreeReplicas() {
    List<PartitionReplicaLocation> led =
        nodes.stream()
            .flatMap(node -> node.replicas().stream())
            .filter(replica -> replica.role() == PartitionReplicaLocation.Role.LEADS)
            .toList();
    return led.size() == PARTITIONS
        && led.stream().allMatch(replica -> replica.voters().size() == 3 && replica.isComplete());
  }

  private Optional<ClusterNode> leader(int partition) {
    return nodes.stream()
        .filter(
            node ->
                node.replicas().stream()
                    .anyMatch(
                        replica ->
                            replica.partition() == partition
                                && replica.role() == PartitionReplicaLocation.Role.LEADS))
        .findFirst();
  }

  /** Writes once, retrying refused attempts. */
  private void writeWithRetries(int writer) {
    while (true) {
      try {
        write(nodes.get(writer).store(), writer);
        return;
      } catch (OutcomeUnknownException e) {
        throw e;
      } catch (RetryException e) {
        // Leaders may change in the beginning.
      }
    }
  }
}
