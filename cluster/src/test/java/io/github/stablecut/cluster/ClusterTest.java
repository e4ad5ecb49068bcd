package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.cluster.NodeProcess.Options;
import io.github.stablecut.cluster.command.cluster.ClusterMove;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.tools.Inspection;
import io.github.stablecut.tools.JournalDump;
import io.github.stablecut.tools.JournalEntry;
import io.github.stablecut.tools.StoreDescription;
import io.github.stablecut.tools.ToolProgress;
import io.github.stablecut.tools.Verification;
import io.github.stablecut.tools.VerificationReport;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes in JVMs of their own serve one store while any of them fails. */
class ClusterTest {
  private static final int NODES = 3;

  @TempDir static Path directory;

  private static @Nullable TestCluster formed;

  @BeforeAll
  static void form() throws Exception {
    formed = TestCluster.form(directory, NODES);
  }

  @AfterAll
  static void end() {
    cluster().close();
  }

  private static TestCluster cluster() {
    return Objects.requireNonNull(formed);
  }

  private static NodeProcess node(int i) {
    return cluster().node(i);
  }

  private static String status(int i) {
    return cluster().status(i);
  }

  private static void restart(int i) throws Exception {
    cluster().restart(i);
  }

  private static void awaitWhole() throws Exception {
    cluster().awaitWhole();
  }

  @Test
  void eachNodeHasItsShareAndServesAll() throws Exception {
    awaitWhole();
    for (int node = 0; node < NODES; node++) {
      for (int other = 0; other < NODES; other++) {
        assertThat(status(node)).contains(" n" + other + " ");
      }
    }
    for (int writer = 0; writer < NODES; writer++) {
      for (int i = 0; i < 20; i++) {
        CounterKey key = Key.counter("served", writer + "-" + i);
        CausalToken token;
        try (Store store = node(writer).connect()) {
          token = store.update(key.increment(1));
        }
        try (Store store = node((writer + 1) % NODES).connect();
            Transaction reader = store.begin(TransactionOptions.defaults().after(token))) {
          assertThat(reader.read(key)).isEqualTo(1);
        }
        try (Store store = node((writer + 2) % NODES).connect()) {
          // Not at once: the clock of a node that was killed is ahead of the others' for seconds.
          Eventually.holds("it is visible without the token", () -> store.read(key) == 1);
        }
      }
    }
  }

  /** Four clients of AntidoteDB's protocol increment a register. */
  @Test
  void noAcknowledgedUpdateIsLost() throws Exception {
    awaitWhole();
    List<InetSocketAddress> servers = new ArrayList<>();
    for (int i = 0; i < 4 * NODES; i++) {
      servers.add(node(i % NODES).address());
    }

    LostUpdatesTest.incrementConcurrently(servers, "counted", 5);

    for (InetSocketAddress server : servers) {
      Eventually.holds("all is seen", () -> LostUpdatesTest.register(server, "counted") == 60);
    }
  }

  @Test
  void aRestartedNodeHasItsAcknowledgedWrites() throws Exception {
    awaitWhole();
    try (PairLoad load = new PairLoad("killed", cluster().connections())) {
      for (int victim : List.of(1, 0)) {
        load.awaitProgress();
        node(victim).kill();
        restart(victim);
        awaitWhole();
      }
      load.awaitProgress();
      try (Store store = node(2).connect()) {
        load.check(store);
      }
    }
  }

  @Test
  void partitionsOfADeadNodeFailAtOnceAndAllOthersServe() throws Exception {
    awaitWhole();
    List<CounterKey> keys = new ArrayList<>();
    // Enough objects for each node to have some: their nodes differ from store to store.
    for (int i = 0; i < 100; i++) {
      keys.add(Key.counter("away", "k" + i));
    }
    try (Store store = node(0).connect()) {
      for (CounterKey key : keys) {
        store.update(key.increment(1));
      }
      node(2).kill();
      // If a node refuses, the client also asks another one.
      for (int i = 0; i < 2; i++) {
        int node = i;
        Eventually.holds("the loss is known", () -> !cluster().lost(node).isEmpty());
      }

      long served = served(store, keys, "is on node n2");
      assertThat(served).isPositive().isLessThan(keys.size());
      assertThatThrownBy(() -> store.read(keys)).hasMessageContaining("is on node n2");
      restart(2);
      awaitWhole();
      Values values = store.read(keys);
      assertThat(keys.stream().mapToLong(values::get).sum()).isEqualTo(keys.size() + served);
    }
  }

  /**
   * Returns how many of the counters can be incremented. A counter that can't be incremented can't
   * be read either.
   *
   * @param refusal the expected message of the refusals
   */
  private static long served(Store store, List<CounterKey> keys, String refusal) {
    long served = 0;
    for (CounterKey key : keys) {
      try {
        store.update(key.increment(1));
        served++;
      } catch (RetryException e) {
        assertThat(e).hasMessageContaining(refusal);
        assertThatThrownBy(() -> store.read(key)).hasMessageContaining(refusal);
      }
    }
    return served;
  }

  @Tag("long")
  @Test
  void aNodeFrozenForLongIsHarmless() throws Exception {
    awaitWhole();
    try (PairLoad load = new PairLoad("frozen", cluster().connections())) {
      load.awaitProgress();
      node(1).signal("STOP");
      Eventually.holds(
          "the loss is known", () -> !cluster().lost(0).isEmpty() && !cluster().lost(2).isEmpty());
      node(1).signal("CONT");

      awaitWhole();
      assertThat(node(1).isAlive()).isTrue();
      load.awaitProgress();

      // Nodes that restart can't wait for it, so it is removed.
      node(1).signal("STOP");
      Eventually.holds(
          "the loss is known", () -> !cluster().lost(0).isEmpty() && !cluster().lost(2).isEmpty());
      assertThat(node(2).terminate()).isZero();
      restart(2);
      node(1).signal("CONT");

      assertThat(node(1).exitCode()).isEqualTo(1);
      assertThat(node(1).output()).contains("removed from the cluster");
      restart(1);
      awaitWhole();
      load.awaitProgress();
      try (Store store = node(0).connect()) {
        load.check(store);
      }
    }
  }

  @Test
  @Tag("long")
  void allNodesCanBeRestartedOneAfterTheOther() throws Exception {
    awaitWhole();
    try (PairLoad load = new PairLoad("rolled", cluster().connections())) {
      for (int i = 0; i < NODES; i++) {
        assertThat(node(i).terminate()).isZero();
        restart(i);
        awaitWhole();
      }
      load.awaitProgress();
      try (Store store = node(1).connect()) {
        load.check(store);
      }
    }
  }

  private static void assertRefused(Options options, String... wanted) throws Exception {
    assertRefused(1, options, wanted);
  }

  private static void assertRefused(int code, Options options, String... wanted) throws Exception {
    try (NodeProcess node = NodeProcess.start(options)) {
      assertThat(node.exitCode()).isEqualTo(code);
      assertThat(node.output()).contains(wanted);
    }
  }

  private static Options newcomer() throws Exception {
    return cluster()
        .options(0)
        .withName("n9")
        .withData(Files.createTempDirectory(directory, "n9"))
        .withPort(Ports.free(1).get(0));
  }

  @Test
  void refusesANodeWithTheNameOfALiveOne() throws Exception {
    awaitWhole();
    assertRefused(
        newcomer().withName("n1"),
        "there is a node n1 already, at 127.0.0.1:" + cluster().options(1).port(),
        "choose another name");
  }

  @Test
  void refusesANodeThatHasLostItsDirectory() throws Exception {
    awaitWhole();
    node(2).kill();
    Eventually.holds("the loss is known", () -> !cluster().lost(0).isEmpty());
    assertRefused(
        cluster().options(2).withData(Files.createTempDirectory(directory, "empty")),
        "node n2 has partitions [2, 5]",
        "its directory is empty");
    restart(2);
    awaitWhole();
  }

  @Tag("long")
  @Test
  void refusesAnOlderCopyOfADirectoryAndServesTheNewest() throws Exception {
    awaitWhole();
    Path data = cluster().options(0).data();
    Path copy = directory.resolve("copy");
    DirectoryCopy.make(data, copy);
    try (PairLoad load = new PairLoad("copied", cluster().connections())) {
      load.awaitProgress();
      assertThat(cluster().run(1, ClusterMove.command(), "0", "n1").err()).isEmpty();
      load.awaitProgress();
      assertThat(node(0).terminate()).isZero();
      DirectoryCopy.swap(data, copy);
      Map<Path, String> before = new HashMap<>(DirectoryCopy.content(data));
      // Opening a directory deletes the file with its last server's address.
      before.remove(Path.of("OPERATORS"));

      assertRefused(
          cluster().options(0),
          "the directory of node n0 has partition 0 at epoch ",
          "node n1 owns it at epoch ",
          "restore the node's newest directory");

      assertThat(DirectoryCopy.content(data)).isEqualTo(before);
      DirectoryCopy.swap(data, copy);
      restart(0);
      awaitWhole();
      load.awaitProgress();
      try (Store store = node(2).connect()) {
        load.check(store);
      }
    }
  }

  @Test
  void refusesADirectoryInUse() throws Exception {
    assertRefused(2, newcomer().withData(cluster().options(0).data()), "another process");
  }

  @Test
  void refusesANodeOnTheDirectoryOfAnother() throws Exception {
    awaitWhole();
    assertThat(node(2).terminate()).isZero();
    Options third = cluster().options(2);
    assertRefused(
        2,
        new Options("n9", third.data(), third.port(), third.seeds(), 3),
        "contains node n2, not n9",
        "start it as n2, or choose another directory");
    restart(2);
    awaitWhole();
  }

  @Test
  void aNodesDirectoryCanBeVerifiedWhileItIsDown() throws Exception {
    awaitWhole();
    try (Store store = node(0).connect()) {
      for (int i = 0; i < 100; i++) {
        store.update(Key.counter("checked", "k" + i).increment(1));
      }
    }
    assertThat(node(2).terminate()).isZero();
    Path data = cluster().options(2).data();

    VerificationReport report = Verification.run(data, Verification.Depth.FULL, ToolProgress.NONE);
    assertThat(report.damages()).isEmpty();
    assertThat(report.checked().effects()).isPositive();
    StoreDescription facts = Inspection.of(data, ToolProgress.NONE);
    assertThat(facts.node()).contains("n2");
    assertThat(facts.partitions())
        .extracting(StoreDescription.Partition::number)
        .containsExactly(2, 5);
    List<JournalEntry> entries = new ArrayList<>();
    JournalDump.run(data, JournalDump.Filter.ALL, entries::add);
    assertThat(entries).extracting(JournalEntry::partition).containsOnly(2, 5);

    restart(2);
    awaitWhole();
  }

  @Test
  void refusesANodeWithAnotherNumberOfPartitions() throws Exception {
    awaitWhole();
    Options options = newcomer();
    try (NodeProcess node = NodeProcess.start(options, "--partitions", "5")) {
      assertThat(node.exitCode()).isEqualTo(1);
      assertThat(node.output()).contains("is set to 5 partitions, but this cluster has 8");
    }
  }

  @Test
  void refusesANodeOfAnotherCluster() throws Exception {
    awaitWhole();
    Options options = newcomer();
    Options alone =
        new Options(
            "n9", options.data(), options.port(), List.of("127.0.0.1:" + options.port()), 1);
    try (NodeProcess node = NodeProcess.start(alone).await()) {
      assertThat(node.terminate()).isZero();
    }
    assertRefused(options, "node n9 has data of store ", "this cluster serves store ");
  }

  @Test
  void refusesAStoreOfASingleServer() throws Exception {
    Options options = newcomer();
    try (Store store = io.github.stablecut.Stablecut.open(options.data())) {
      store.update(Key.counter("b", "k").increment(1));
    }
    assertRefused(2, options, "contains a standalone store and can't join a cluster");
  }

  @Test
  void aNodeWithoutReachableSeedsLogsThatAndEndsOnSigterm() throws Exception {
    List<Integer> ports = Ports.free(2);
    Options options =
        new Options(
            "n9",
            directory.resolve("alone"),
            ports.get(0),
            List.of("127.0.0.1:" + ports.get(1)),
            1);
    try (NodeProcess node = NodeProcess.start(options)) {
      Eventually.holds(
          "it says what it waits for",
          () -> node.output().contains("waits for one of the seeds [127.0.0.1:" + ports.get(1)));
      assertThat(node.isReady()).isFalse();
      assertThat(node.terminate()).isZero();
    }
  }
}
