package io.github.stablecut.examples.scalardb;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.ClusterNode;
import io.github.stablecut.cluster.ClusterSettings;
import io.github.stablecut.cluster.Endpoint;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The cluster of the current suite, with all nodes in this process. Confined to one thread. */
final class SuiteCluster {
  /** The heap for messages between nodes: a suite puts 100 million bytes at once. */
  private static final long TRAFFIC_BYTES = 1L << 30;

  private static final List<ClusterNode> NODES = new ArrayList<>();

  private SuiteCluster() {}

  /** Stops the previous suite's cluster and starts one; returns the store as seen by each node. */
  static List<Store> start(Path directory, int number, StoreOptions options) throws IOException {
    NODES.forEach(ClusterNode::close);
    NODES.clear();
    List<Integer> ports = freePorts(number);
    List<String> seeds = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    for (int i = 0; i < number; i++) {
      ClusterSettings settings =
          ClusterSettings.builder("n" + i, Endpoint.loopback(ports.get(i)), seeds)
              .formWith(number)
              .moveBytesPerSecond(Long.MAX_VALUE)
              .trafficBytes(TRAFFIC_BYTES)
              .replicas(1)
              .secret(Optional.of(directory.resolve("secret")))
              .build();
      NODES.add(ClusterNode.join(directory.resolve("n" + i), options, settings));
    }
    return NODES.stream().map(ClusterNode::store).toList();
  }

  private static List<Integer> freePorts(int number) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      while (sockets.size() < number) {
        sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      return sockets.stream().map(ServerSocket::getLocalPort).toList();
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
  }
}
