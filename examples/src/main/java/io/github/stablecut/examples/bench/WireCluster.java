package io.github.stablecut.examples.bench;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.Server;
import io.github.stablecut.cluster.ServerSettings;
import io.github.stablecut.cluster.SettingsLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Servers in this process, and clients of theirs through the wire: one by itself, and a cluster of
 * three with one partition, which the first of them has.
 */
final class WireCluster implements AutoCloseable {
  private static final int NODES = 3;

  private final List<Runnable> closing = new ArrayList<>();
  private final Map<String, Store> clients = new HashMap<>();

  /** Starts them in an empty directory. */
  static WireCluster start(Path directory, List<Integer> ports) {
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
                  "cluster.form-with",
                  NODES));
      // Each waits for the others.
      nodes.add(CompletableFuture.supplyAsync(() -> Server.start(settings)));
    }
    started.add("owner", nodes.get(0).join());
    started.add("hop", nodes.get(1).join());
    started.closing.add(nodes.get(2).join()::close);
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
    var unused = clients.put(name, client);
  }

  /**
   * By what is asked: {@code alone}, {@code owner} of the partition in the cluster, {@code hop} for
   * another node of the cluster.
   */
  Map<String, Store> clients() {
    return Map.copyOf(clients);
  }

  @Override
  public void close() {
    for (int i = closing.size() - 1; i >= 0; i--) {
      closing.get(i).run();
    }
  }
}
