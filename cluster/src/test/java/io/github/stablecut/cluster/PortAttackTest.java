package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Store;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
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

  @TempDir private Path directory;

  /** The first bytes of Akka's streams, and lengths and headers that its decoder stumbles over. */
  private static List<byte[]> frames(SplittableRandom random, int number) {
    List<byte[]> frames = new ArrayList<>();
    for (int length :
        new int[] {0, -1, 1, 4, 28, 256 << 10, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      for (int stream : new int[] {1, 2, 3, 9}) {
        frames.add(frame(stream, length, new byte[4]));
        frames.add(frame(stream, length, new byte[100]));
      }
    }
    for (int i = 0; i < number; i++) {
      byte[] body = new byte[random.nextInt(2_000)];
      random.nextBytes(body);
      frames.add(i % 2 == 0 ? body : frame(1 + i % 3, body.length, body));
    }
    frames.add("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    return frames;
  }

  private static byte[] frame(int stream, int length, byte[] body) {
    return ByteBuffer.allocate(9 + body.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put("AKKA".getBytes(StandardCharsets.US_ASCII))
        .put((byte) stream)
        .putInt(length)
        .put(body)
        .array();
  }

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

  private static int operations(RingProcess node) {
    return URI.create(node.operations()).getPort();
  }

  private static long descriptors(RingProcess node) throws IOException {
    try (var open = Files.list(Path.of("/proc/" + node.pid() + "/fd"))) {
      return open.count();
    }
  }

  private static void serves(RingCluster cluster) throws Exception {
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

  private void attack(int number) throws Exception {
    try (RingCluster cluster = RingCluster.form(directory, 2)) {
      RingProcess node = cluster.node(0);
      SplittableRandom random = new SplittableRandom(1);
      int nodes = cluster.options(0).port();

      for (int port : new int[] {nodes, node.port(), operations(node)}) {
        for (byte[] frame : frames(random, number)) {
          send(port, frame);
        }
        serves(cluster);
      }

      assertThat(node.said().length()).as("what it says").isLessThan(MAX_LOG);
      for (int i = 0; i < 2; i++) {
        assertThat(cluster.node(i).terminate()).isZero();
      }
    }
  }

  @Test
  void malformedBytesAtEachPortChangeNothing() throws Exception {
    attack(50);
  }

  @Test
  @Tag("long")
  void manyMalformedBytesAtEachPortChangeNothing() throws Exception {
    attack(5_000);
  }

  @Test
  void thoseThatAreSilentDoNotFillThePorts() throws Exception {
    try (RingCluster cluster = RingCluster.form(directory, 2)) {
      RingProcess node = cluster.node(0);
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
    try (RingCluster cluster = RingCluster.form(directory, 1)) {
      int port = io.github.stablecut.cluster.internal.ring.Ports.free(1).get(0);
      RingProcess.Options stranger =
          new RingProcess.Options(
                  "n9",
                  directory.resolve("n9"),
                  port,
                  List.of("127.0.0.1:" + cluster.options(0).port()),
                  1)
              .with("--cluster-secret", directory.resolve("other.secret").toString());
      try (RingProcess node = RingProcess.start(stranger)) {
        Eventually.holds("it says why", () -> node.said().contains("has another secret"));
        assertThat(node.said()).contains("copy the file that cluster.secret names");
        assertThat(node.isReady()).isFalse();
        assertThat(node.terminate()).isZero();
      }
      assertThat(cluster.hasMember(0, 0)).isTrue();
      serves(cluster);
    }
  }
}
