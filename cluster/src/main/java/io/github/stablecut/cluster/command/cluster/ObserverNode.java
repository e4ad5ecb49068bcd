package io.github.stablecut.cluster.command.cluster;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.ClusterNode;
import io.github.stablecut.cluster.ClusterSettings;
import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.cluster.SettingsLoader;
import io.github.stablecut.cluster.internal.secret.ClusterSecret;
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

/** Runs a command as an observer of a cluster: the process joins, runs the task, and leaves. */
final class ObserverNode {
  @Option(
      names = "--join",
      split = ",",
      paramLabel = "HOST:PORT",
      description = "addresses of cluster nodes for other nodes (--cluster-port)")
  private @Nullable List<String> join;

  @Option(
      names = "--cluster-port",
      paramLabel = "N",
      description =
          "port where the nodes reach this process, and 1,000 above it; default: free ports")
  private @Nullable Integer port;

  @Option(
      names = "--secret",
      paramLabel = "FILE",
      description = "file with the cluster's secret; default ~/.stablecut/cluster.secret")
  private @Nullable Path secret;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "settings file of a node in HOCON, for cluster.tls")
  private @Nullable Path config;

  /** A task on the cluster's store. */
  @FunctionalInterface
  interface Task<T> {
    T run(Store store) throws IOException;
  }

  /** A task on the cluster and its store. */
  @FunctionalInterface
  interface NodeTask<T> {
    T run(ClusterNode node, Store store) throws IOException;
  }

  /**
   * Joins the cluster, runs a task on its store, and leaves.
   *
   * @param options how transactions are executed
   */
  <T> T with(StoreOptions options, Task<T> task) throws IOException {
    return asNode(options, (node, store) -> task.run(store));
  }

  /** Like {@link #with}, for a task that also needs the node. */
  <T> T asNode(StoreOptions options, NodeTask<T> task) throws IOException {
    try (ClusterNode node = ClusterNode.observe(options, settings())) {
      Thread leave = new Thread(node::close, "stablecut-shutdown");
      Runtime.getRuntime().addShutdownHook(leave);
      try {
        return task.run(node, node.store());
      } finally {
        removeHook(leave);
      }
    }
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending: the hook runs already.
    }
  }

  private ClusterSettings settings() throws IOException {
    if (join == null && config == null) {
      throw new SettingsException("no cluster is given: use --join HOST:PORT, or --config FILE");
    }
    Map<String, Object> settings = new HashMap<>();
    if (join != null) {
      settings.put("cluster.join", join);
    }
    if (secret != null) {
      settings.put("cluster.secret", secret.toString());
    }
    settings.put("cluster.node", "observer-%08x".formatted(new SecureRandom().nextInt()));
    settings.put("cluster.port", port == null ? freePort() : port);
    settings.put("cluster.listen-port", 0);
    settings.put("cluster.data-port", port == null ? 0 : -1);
    settings.put("data", "none");
    ClusterSettings loaded =
        SettingsLoader.load(Optional.ofNullable(config), settings).cluster().orElseThrow();
    checkSecret(loaded);
    return loaded;
  }

  /** Refuses a missing file: a new secret would not be that of the cluster. */
  private void checkSecret(ClusterSettings settings) {
    if (secret != null || settings.endpoint().tls().isEmpty()) {
      ClusterSecret.existing(settings.secret().orElseGet(ClusterSecret::userFile));
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
