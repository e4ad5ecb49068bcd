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
 * Requests of those who take no answers, and the answers, wait in sockets and in the heap, whose
 * use is limited, and not beside it.
 */
final class UntakenAnswersTest {
  private static final int CONNECTIONS = 100;
  private static final byte[] REQUEST = HexFormat.of().parseHex("0000000185");
  private static final int REQUESTS = 50_000;

  @TempDir private Path directory;

  /**
   * What one connection may have outside of the heap: 32 KiB each way, and what that is cut from.
   */
  private static final long BYTES_EACH = 160 << 10;

  private static long direct() {
    return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric().usedDirectMemory();
  }

  /** A client that sends requests and reads nothing. */
  private static final class Deaf implements AutoCloseable {
    private final SocketChannel channel = SocketChannel.open();
    private final ByteBuffer requests = ByteBuffer.allocate(REQUESTS * REQUEST.length);

    Deaf(Server server) throws IOException {
      channel.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
      var unused =
          channel.connect(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), server.address().getPort()));
      channel.configureBlocking(false);
      for (int i = 0; i < REQUESTS; i++) {
        requests.put(REQUEST);
      }
      requests.flip();
    }

    /** Sends what the server takes, and says how many bytes that is. */
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
  void takeNoMemoryOutsideOfTheHeapAndKeepNobodyWaiting() throws Exception {
    List<Deaf> clients = new ArrayList<>();
    try (Server server = Server.start(Settings.of(directory.resolve("data")));
        WireClient other = new WireClient(server)) {
      other.update(add("a", 1));
      long before = direct();
      for (int i = 0; i < CONNECTIONS; i++) {
        clients.add(new Deaf(server));
      }
      int[] idle = {0};
      Eventually.holds(
          "the server takes no more requests of those who take no answers",
          () -> {
            int sent = 0;
            for (Deaf client : clients) {
              sent += client.send();
            }
            idle[0] = sent == 0 ? idle[0] + 1 : 0;
            return idle[0] > 20;
          });

      assertThat(direct() - before).isLessThan(CONNECTIONS * BYTES_EACH);
      other.update(add("a", 1));
      assertThat(other.count("a")).isEqualTo(2);
    } finally {
      for (Deaf client : clients) {
        client.close();
      }
    }
  }
}
