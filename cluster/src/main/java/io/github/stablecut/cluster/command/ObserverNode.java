package io.github.stablecut.cluster.command;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.ClusterNode;
import io.github.stablecut.cluster.ClusterSettings;
import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.cluster.SettingsLoader;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The cluster that a command visits: it becomes a node that has no partitions, and leaves. */
final class ObserverNode {
  @Option(
      names = "--join",
      split = ",",
      paramLabel = "HOST:PORT",
      description = "nodes of the cluster: their addresses for nodes (--cluster-port)")
  private @Nullable List<String> join;

  @Option(
      names = "--cluster-port",
      paramLabel = "N",
      description = "port on which the nodes reach this process; default a free one")
  private @Nullable Integer port;

  @Option(
      names = "--secret",
      paramLabel = "FILE",
      description = "file with the secret of the cluster; default ~/.stablecut/cluster.secret")
  private @Nullable Path secret;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "settings file of a node in HOCON, for cluster.tls")
  private @Nullable Path config;

  /** What a command does with the cluster's store. */
  @FunctionalInterface
  interface Task<T> {
    T run(Store store) throws IOException;
  }

  /** What a command does with a cluster. */
  @FunctionalInterface
  interface NodeTask<T> {
    T run(ClusterNode visitor, Store store) throws IOException;
  }

  /**
   * Joins, does something, and leaves.
   *
   * @param options how transactions are executed
   */
  <T> T with(StoreOptions options, Task<T> task) throws IOException {
    return asNode(options, (visitor, store) -> task.run(store));
  }

  /** As {@link #with}. */
  <T> T asNode(StoreOptions options, NodeTask<T> task) throws IOException {
    try (ClusterNode node = ClusterNode.visit(options, settings())) {
      Thread leave = new Thread(node::close, "stablecut-shutdown");
      Runtime.getRuntime().addShutdownHook(leave);
      try {
        return task.run(node, node.store());
      } finally {
        forget(leave);
      }
    }
  }

  private static void forget(Thread hook) {
    try {
      boolean unused = Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process ends, and it runs.
    }
  }

  private ClusterSettings settings() throws IOException {
    if (join == null && config == null) {
      throw new SettingsException(
          "it is not said which cluster: give --join HOST:PORT, or --config FILE");
    }
    Map<String, Object> said = new HashMap<>();
    if (join != null) {
      said.put("cluster.join", join);
    }
    if (secret != null) {
      said.put("cluster.secret", secret.toString());
    }
    said.put("cluster.node", "observer-%08x".formatted(new SecureRandom().nextInt()));
    said.put("cluster.port", port == null ? freePort() : port);
    said.put("cluster.listen-port", 0);
    said.put("cluster.link-port", 0);
    said.put("data", "none");
    return SettingsLoader.load(Optional.ofNullable(config), said).cluster().orElseThrow();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
