package io.github.stablecut.cluster;

import static io.github.stablecut.cluster.WireClient.add;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests and answers of clients that read no answers wait in sockets and in the heap, whose use
 * is limited, and take no memory outside the heap.
 */
final class UnreadAnswersTest {
  private static final int CONNECTIONS = 100;
  private static final byte[] REQUEST = HexFormat.of().parseHex("0000000185");
  private static final int REQUESTS = 50_000;

  @TempDir private Path directory;

  /**
   * The off-heap memory that a connection may have: 32 KiB each way, and the chunk that contains
   * it.
   */
  private static final long BYTES_EACH = 160 << 10;

  private static long direct() {
    return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric().usedDirectMemory();
  }

  /** A client that sends requests and reads nothing. */
  private static final class NonReadingClient implements AutoCloseable {
    private final SocketChannel channel = SocketChannel.open();
    private final ByteBuffer requests = ByteBuffer.allocate(REQUESTS * REQUEST.length);

    NonReadingClient(Server server) throws IOException {
      channel.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
      channel.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), server.address().getPort()));
      channel.configureBlocking(false);
      for (int i = 0; i < REQUESTS; i++) {
        requests.put(REQUEST);
      }
      requests.flip();
    }

    /** Sends as much as the server accepts, and returns the number of bytes. */
    int send() throws IOException {
      if (!requests.hasRemaining()) {
        requests.rewind();
      }
      return channel.write(requests);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  @Test
  void untakenAnswersTakeNoOffHeapMemoryAndDelayNoOthers() throws Exception {
    List<NonReadingClient> clients = new ArrayList<>();
    try (Server server = Server.start(Settings.of(directory.resolve("data")));
        WireClient other = new WireClient(server)) {
      other.update(add("a", 1));
      long before = direct();
      for (int i = 0; i < CONNECTIONS; i++) {
        clients.add(new NonReadingClient(server));
      }
      int[] idle = {0};
      Eventually.holds(
          "the server reads no more requests of clients that read no answers",
          () -> {
            int sent = 0;
            for (NonReadingClient client : clients) {
              sent += client.send();
            }
            idle[0] = sent == 0 ? idle[0] + 1 : 0;
            return idle[0] > 20;
          });

      assertThat(direct() - before).isLessThan(CONNECTIONS * BYTES_EACH);
      other.update(add("a", 1));
      assertThat(other.count("a")).isEqualTo(2);
    } finally {
      for (NonReadingClient client : clients) {
        client.close();
      }
    }
  }
}
