package io.github.stablecut.examples.bench.wire;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.Server;
import io.github.stablecut.cluster.ServerSettings;
import io.github.stablecut.cluster.SettingsLoader;
import io.github.stablecut.cluster.internal.client.ClientConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Servers in this process and their clients: a single server, and a cluster of three nodes with one
 * partition, which the first node owns.
 */
public final class WireCluster implements AutoCloseable {
  private static final int NODES = 3;
  private static final long MAX_BYTES = 1 << 20;

  private final List<Runnable> closing = new ArrayList<>();
  private final Map<String, Store> clients = new HashMap<>();
  private final Map<String, ClientConnection> connections = new HashMap<>();

  /** Starts the servers in an empty directory. */
  public static WireCluster start(Path directory, List<Integer> ports) throws IOException {
    WireCluster started = new WireCluster();
    Server alone = Server.start(settings(directory.resolve("alone"), Map.of()));
    started.add("alone", alone);
    List<String> seeds = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    List<CompletableFuture<Server>> nodes = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      ServerSettings settings =
          settings(
              directory.resolve("w" + i),
              Map.of(
                  "cluster.join",
                  seeds,
                  "cluster.node",
                  "w" + i,
                  "cluster.port",
                  ports.get(i),
                  "cluster.data-port",
                  0,
                  "cluster.form-with",
                  NODES));
      // Each node waits for the others.
      nodes.add(CompletableFuture.supplyAsync(() -> Server.start(settings)));
    }
    started.add("owner", nodes.get(0).join());
    started.add("hop", nodes.get(1).join());
    started.closing.add(nodes.get(2).join()::close);
    NettyProxy proxy = new NettyProxy(nodes.get(0).join().address());
    started.closing.add(proxy::close);
    started.connect("owner", nodes.get(0).join().address());
    started.connect("hop", nodes.get(1).join().address());
    started.connect("proxy", proxy.address());
    return started;
  }

  private static ServerSettings settings(Path data, Map<String, ?> more) {
    Map<String, Object> said = new HashMap<>(more);
    said.putAll(
        Map.of(
            "data",
            data.toString(),
            "port",
            0,
            "operations.enabled",
            false,
            "store.partitions",
            1));
    return SettingsLoader.load(Optional.empty(), said);
  }

  private void add(String name, Server server) {
    closing.add(server::close);
    Store client = Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort());
    closing.add(client::close);
    clients.put(name, client);
  }

  private void connect(String name, InetSocketAddress address) throws IOException {
    Socket socket = new Socket(address.getAddress(), address.getPort());
    socket.setTcpNoDelay(true);
    ClientConnection connection = new ClientConnection(socket, MAX_BYTES);
    closing.add(
        () -> {
          try {
            connection.close();
          } catch (IOException e) {
            throw new UncheckedIOException("can't close a connection", e);
          }
        });
    connections.put(name, connection);
  }

  /**
   * Connections with AntidoteDB's protocol, whose clients ask only the node that they are connected
   * to: {@code owner}, {@code hop}, and {@code proxy} for Netty before the owner.
   */
  public Map<String, ClientConnection> connections() {
    return Map.copyOf(connections);
  }

  /**
   * The clients by target: {@code alone}, {@code owner} of the partition in the cluster, and {@code
   * hop} for another node of the cluster.
   */
  public Map<String, Store> clients() {
    return Map.copyOf(clients);
  }

  @Override
  public void close() {
    for (int i = closing.size() - 1; i >= 0; i--) {
      closing.get(i).run();
    }
  }
}
