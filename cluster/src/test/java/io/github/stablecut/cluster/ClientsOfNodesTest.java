package io.github.stablecut.cluster;

import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** AntidoteDB's Java and Erlang clients use three nodes: each connection goes to the next node. */
final class ClientsOfNodesTest {
  private static final int NODES = 3;

  @TempDir private static Path directory;
  private static List<Server> servers;
  private static CutProxy spread;

  private static ServerSettings settings(int node, List<Integer> ports) {
    List<String> seeds = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    return Settings.dataCentreOrders(Settings.of(directory.resolve("n" + node)))
        .withStore(StoreOptions.defaults().withPartitions(6))
        .withCluster(
            new ClusterSettings(
                "n" + node, Endpoint.loopback(ports.get(node)), seeds, NODES, 0, Long.MAX_VALUE));
  }

  @BeforeAll
  static void start() throws IOException {
    List<Integer> ports = Ports.free(NODES);
    List<CompletableFuture<Server>> starting =
        IntStream.range(0, NODES)
            .mapToObj(
                node ->
                    CompletableFuture.supplyAsync(
                        () -> Server.start(settings(node, ports)),
                        task -> new Thread(task).start()))
            .toList();
    servers = starting.stream().map(CompletableFuture::join).toList();
    spread = new CutProxy(0, servers.stream().map(server -> server.address().getPort()).toList());
  }

  @AfterAll
  static void stop() {
    spread.close();
    servers.forEach(Server::close);
  }

  private static InetSocketAddress anyNode() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), spread.port());
  }

  @Nested
  final class Java extends JavaClientContract {
    @Override
    InetSocketAddress address() {
      return anyNode();
    }
  }

  @Nested
  final class Erlang extends ErlangClientContract {
    @Override
    InetSocketAddress address() {
      return anyNode();
    }

    @Override
    int nodes() {
      return NODES;
    }
  }
}
