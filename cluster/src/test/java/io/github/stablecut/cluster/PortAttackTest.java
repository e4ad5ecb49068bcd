package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.stablecut.Store;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node continues to serve despite malformed bytes, floods and silent connections at its three
 * ports, logs little about them, and ends when asked to.
 */
class PortAttackTest {
  /** The limit of a node's log output, in characters. */
  private static final int MAX_LOG = 20_000;

  /** The heap of a node, all of which may have been used. */
  private static final long HEAP = 384L << 20;

  /**
   * The memory that a node may need besides its heap for the attack: thread stacks, buffers and
   * compiled code.
   */
  private static final long MAX_OTHER_MEMORY = 160L << 20;

  /** The processor use of a thread that loops; an idle node uses a few hundredths. */
  private static final double MAX_PROCESSOR = 0.5;

  /** The number of concurrent connections. */
  private static final int FLOODS = 32;

  @TempDir private Path directory;

  private static Socket connect(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(60_000);
    return socket;
  }

  /** Sends malformed bytes and disconnects. */
  private static void send(int port, byte[] bytes) {
    try (Socket socket = connect(port)) {
      socket.getOutputStream().write(bytes);
    } catch (IOException e) {
      // The node closed the connection early.
    }
  }

  private static int operations(NodeProcess node) {
    return URI.create(node.operations()).getPort();
  }

  private static long descriptors(NodeProcess node) throws IOException {
    try (var open = Files.list(Path.of("/proc/" + node.pid() + "/fd"))) {
      return open.count();
    }
  }

  private static void assertServes(TestCluster cluster) throws Exception {
    cluster.awaitWhole();
    for (int i = 0; i < cluster.size(); i++) {
      try (Store store = cluster.node(i).connect()) {
        for (int key = 0; key < 16; key++) {
          CounterKey counter = Key.counter("attack", "k" + key);
          store.update(counter.increment(1));
          assertThat(store.read(counter)).isPositive();
        }
      }
    }
  }

  /** Sends all attacks to every port, and floods each port with its own protocol. */
  private static void attack(TestCluster cluster, int number, int floodBytes) throws Exception {
    NodeProcess node = cluster.node(0);
    long seed = new Random().nextLong();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    List<byte[]> all = new ArrayList<>();
    all.addAll(Attacks.onNodes(random, number));
    all.addAll(Attacks.onClients(random, number));
    all.addAll(Attacks.onAdminPort(random, number));
    int nodes = cluster.options(0).port();
    for (int port : new int[] {nodes, node.port(), operations(node)}) {
      for (byte[] bytes : all) {
        send(port, bytes);
      }
    }
    Attacks.flood(nodes, Attacks.greeting(), FLOODS, floodBytes);
    Attacks.flood(node.port(), new byte[4], FLOODS, floodBytes);
    Attacks.flood(node.port(), FuzzTest.frame(random), FLOODS, floodBytes);
    byte[] request = "GET /metrics HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    Attacks.flood(operations(node), request, FLOODS, floodBytes);
  }

  private void assertSurvives(int number, int floodBytes) throws Exception {
    assumeTrue(
        ProcessUse.isMemoryKnown(),
        "SKIPPED: this machine does not tell how much memory a process has");
    try (TestCluster cluster = TestCluster.form(directory, 2)) {
      NodeProcess node = cluster.node(0);
      assertServes(cluster);
      long before = ProcessUse.memory(node.pid());

      attack(cluster, number, floodBytes);

      assertServes(cluster);
      Eventually.holds(
          "the processor is idle again", () -> ProcessUse.processor(node.pid()) < MAX_PROCESSOR);
      assertThat(ProcessUse.memory(node.pid()) - before)
          .as("the bytes of memory that it took")
          .isLessThan(HEAP + MAX_OTHER_MEMORY);
      assertThat(node.output().length()).as("what it says").isLessThan(MAX_LOG);
      for (int i = 0; i < 2; i++) {
        assertThat(cluster.node(i).terminate()).isZero();
      }
    }
  }

  @Test
  void malformedBytesAndFloodsAtEachPortChangeNothing() throws Exception {
    assertSurvives(50, 256 << 10);
  }

  @Test
  @Tag("long")
  void manyMalformedBytesAndFloodsAtEachPortChangeNothing() throws Exception {
    assertSurvives(5_000, 32 << 20);
  }

  @Test
  void silentConnectionsDoNotExhaustThePorts() throws Exception {
    try (TestCluster cluster = TestCluster.form(directory, 2)) {
      NodeProcess node = cluster.node(0);
      long before = descriptors(node);
      List<Socket> silent = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        silent.add(connect(cluster.options(0).port()));
        silent.add(connect(operations(node)));
      }

      Eventually.holds(
          "all but a few are disconnected", () -> descriptors(node) < before + 128 + 64 + 50);
      assertServes(cluster);
      Eventually.holds("the others after a while", () -> descriptors(node) < before + 30);
      for (Socket socket : silent) {
        socket.close();
      }
      assertThat(node.output().length()).as("what it says").isLessThan(MAX_LOG);
      assertThat(node.terminate()).isZero();
    }
  }

  @Test
  void refusesANodeWithAnotherSecretAndSaysSo() throws Exception {
    try (TestCluster cluster = TestCluster.form(directory, 1)) {
      int port = io.github.stablecut.cluster.internal.node.Ports.free(1).get(0);
      NodeProcess.Options stranger =
          new NodeProcess.Options(
                  "n9",
                  directory.resolve("n9"),
                  port,
                  List.of("127.0.0.1:" + cluster.options(0).port()),
                  1)
              .with("--secret", directory.resolve("other.secret").toString());
      try (NodeProcess node = NodeProcess.start(stranger)) {
        Eventually.holds("it says why", () -> node.output().contains("has another secret"));
        assertThat(node.output()).contains("copy the file named by cluster.secret");
        assertThat(node.isReady()).isFalse();
        assertThat(node.terminate()).isZero();
      }
      assertThat(cluster.hasMember(0, 0)).isTrue();
      assertServes(cluster);
    }
  }
}
