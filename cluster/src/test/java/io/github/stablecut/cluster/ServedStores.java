package io.github.stablecut.cluster;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Stores that are not embedded: a cluster of two nodes in this process, and a server over sockets.
 */
final class ServedStores implements AutoCloseable {
  /** The ways to use a store. */
  enum Access {
    /** On a node with partitions. */
    MEMBER,
    /** On a node without partitions. */
    OBSERVER,
    /** Connected to a server. */
    SERVER,
    /** Connected to a cluster. */
    CLUSTER
  }

  private final Deque<Runnable> open = new ArrayDeque<>();
  private final Store member;
  private final Store observer;
  private final Store ofServer;
  private final Store ofCluster;

  ServedStores(Path directory) throws Exception {
    StoreOptions options = StoreOptions.defaults();
    Server server = opened(Server.start(Settings.of(directory.resolve("s")).withStore(options)));
    List<Integer> ports = Ports.free(3);
    List<String> seeds = ports.stream().limit(2).map(port -> "127.0.0.1:" + port).toList();
    List<CompletableFuture<Server>> starting =
        IntStream.range(0, 2)
            .mapToObj(
                node ->
                    CompletableFuture.supplyAsync(
                        () ->
                            Server.start(
                                Settings.of(directory.resolve("n" + node))
                                    .withStore(options.withPartitions(4))
                                    .withCluster(settings("n" + node, ports.get(node), seeds))),
                        task -> new Thread(task).start()))
            .toList();
    List<Server> nodes = starting.stream().map(CompletableFuture::join).map(this::opened).toList();
    member = nodes.get(0).store();
    observer =
        opened(ClusterNode.observe(options.withPartitions(0), settings("v", ports.get(2), seeds)))
            .store();
    ofServer = opened(connect(server));
    ofCluster = opened(connect(nodes.get(0)));
  }

  private static ClusterSettings settings(String name, int port, List<String> seeds) {
    return new ClusterSettings(name, Endpoint.loopback(port), seeds, 2, 0, Long.MAX_VALUE);
  }

  private static Store connect(Server server) {
    return Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort());
  }

  private Server opened(Server one) {
    open.push(one::close);
    return one;
  }

  private ClusterNode opened(ClusterNode one) {
    open.push(one::close);
    return one;
  }

  private Store opened(Store one) {
    open.push(one::close);
    return one;
  }

  Store of(Access access) {
    return switch (access) {
      case MEMBER -> member;
      case OBSERVER -> observer;
      case SERVER -> ofServer;
      case CLUSTER -> ofCluster;
    };
  }

  @Override
  public void close() {
    while (!open.isEmpty()) {
      open.pop().run();
    }
  }
}
