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
 * Malformed bytes, floods and silence at the three ports of a node: it goes on serving, says little
 * about it, and ends when it is told to.
 */
class PortAttackTest {
  /** What a node may say of all that, in characters. */
  private static final int MAX_LOG = 20_000;

  /** Of a node; all of it may have been used. */
  private static final long HEAP = 384L << 20;

  /**
   * What a node may need beside its heap for what strangers sent: stacks of threads, buffers, and
   * compiled code.
   */
  private static final long MAX_OTHER_MEMORY = 160L << 20;

  /** Of a thread that loops; without one, a node that has nothing to do takes a few hundredths. */
  private static final double MAX_PROCESSOR = 0.5;

  /** As many connections at once. */
  private static final int FLOODS = 32;

  @TempDir private Path directory;

  private static Socket connect(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(60_000);
    return socket;
  }

  /** Sends something that is no request, and leaves. */
  private static void send(int port, byte[] bytes) {
    try (Socket socket = connect(port)) {
      socket.getOutputStream().write(bytes);
    } catch (IOException e) {
      // It did not want to hear all of it.
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

  private static void serves(TestCluster cluster) throws Exception {
    cluster.awaitWhole();
    for (int i = 0; i < cluster.size(); i++) {
      try (Store store = cluster.node(i).connect()) {
        for (int key = 0; key < 16; key++) {
          CounterKey counter = Key.counter("attack", "k" + key);
          var unused = store.update(counter.increment(1));
          assertThat(store.read(counter)).isPositive();
        }
      }
    }
  }

  /** Sends everything to every port, and what each port expects again and again. */
  private static void attack(TestCluster cluster, int number, int floodBytes) throws Exception {
    NodeProcess node = cluster.node(0);
    long seed = new Random().nextLong();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    List<byte[]> all = new ArrayList<>();
    all.addAll(Attacks.onNodes(random, number));
    all.addAll(Attacks.onClients(random, number));
    all.addAll(Attacks.onOperators(random, number));
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

  private void survives(int number, int floodBytes) throws Exception {
    assumeTrue(
        ProcessUse.isMemoryKnown(),
        "SKIPPED: this machine does not tell how much memory a process has");
    try (TestCluster cluster = TestCluster.form(directory, 2)) {
      NodeProcess node = cluster.node(0);
      serves(cluster);
      long before = ProcessUse.memory(node.pid());

      attack(cluster, number, floodBytes);

      serves(cluster);
      Eventually.holds(
          "the processor is idle again", () -> ProcessUse.processor(node.pid()) < MAX_PROCESSOR);
      assertThat(ProcessUse.memory(node.pid()) - before)
          .as("the bytes of memory that it took")
          .isLessThan(HEAP + MAX_OTHER_MEMORY);
      assertThat(node.said().length()).as("what it says").isLessThan(MAX_LOG);
      for (int i = 0; i < 2; i++) {
        assertThat(cluster.node(i).terminate()).isZero();
      }
    }
  }

  @Test
  void malformedBytesAndFloodsAtEachPortChangeNothing() throws Exception {
    survives(50, 256 << 10);
  }

  @Test
  @Tag("long")
  void manyMalformedBytesAndFloodsAtEachPortChangeNothing() throws Exception {
    survives(5_000, 32 << 20);
  }

  @Test
  void thoseThatAreSilentDoNotFillThePorts() throws Exception {
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
      serves(cluster);
      Eventually.holds("the others, too, in a while", () -> descriptors(node) < before + 30);
      for (Socket socket : silent) {
        socket.close();
      }
      assertThat(node.said().length()).as("what it says").isLessThan(MAX_LOG);
      assertThat(node.terminate()).isZero();
    }
  }

  @Test
  void whoHasAnotherSecretIsNoNodeOfTheClusterAndIsToldSo() throws Exception {
    try (TestCluster cluster = TestCluster.form(directory, 1)) {
      int port = io.github.stablecut.cluster.internal.node.Ports.free(1).get(0);
      NodeProcess.Options stranger =
          new NodeProcess.Options(
                  "n9",
                  directory.resolve("n9"),
                  port,
                  List.of("127.0.0.1:" + cluster.options(0).port()),
                  1)
              .with("--cluster-secret", directory.resolve("other.secret").toString());
      try (NodeProcess node = NodeProcess.start(stranger)) {
        Eventually.holds("it says why", () -> node.said().contains("has another secret"));
        assertThat(node.said()).contains("copy the file named by cluster.secret");
        assertThat(node.isReady()).isFalse();
        assertThat(node.terminate()).isZero();
      }
      assertThat(cluster.hasMember(0, 0)).isTrue();
      serves(cluster);
    }
  }
}
