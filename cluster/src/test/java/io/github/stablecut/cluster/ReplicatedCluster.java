package io.github.stablecut.cluster;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.replication.Replication;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** A cluster of nodes in this process that listens for other data centres. */
final class ReplicatedCluster implements AutoCloseable {
  private final String name;
  private final Path directory;
  private final int partitions;
  private final List<Integer> ports;
  private final List<String> seeds;
  private final List<ClusterNode> nodes = new ArrayList<>();
  private final List<Store> stores = new CopyOnWriteArrayList<>();

  private ReplicatedCluster(String name, Path directory, int size, int partitions)
      throws IOException {
    this.name = name;
    this.directory = directory;
    this.partitions = partitions;
    this.ports = Ports.free(2 * size);
    this.seeds = List.of("127.0.0.1:" + ports.get(0));
  }

  /** Forms a cluster that begins a group of data centres. */
  static ReplicatedCluster form(String name, Path directory, int size, int partitions)
      throws IOException {
    return form(name, directory, size, partitions, Replication.tcp("127.0.0.1:0"));
  }

  /** Forms such a cluster at addresses that do not matter. */
  static ReplicatedCluster form(
      String name, Path directory, int size, int partitions, Replication replication)
      throws IOException {
    return new ReplicatedCluster(name, directory, size, partitions).start(size, replication);
  }

  /** Forms a cluster that joins other data centres. */
  static ReplicatedCluster joined(String name, Path directory, int size, String address)
      throws IOException {
    ReplicatedCluster cluster = new ReplicatedCluster(name, directory, size, 0);
    return cluster.start(size, Replication.tcp("127.0.0.1:0").join(address));
  }

  private ReplicatedCluster start(int size, Replication replication) {
    for (int i = 0; i < size; i++) {
      nodes.add(node(i, size, replication.withListen("127.0.0.1:" + ports.get(size + i))));
    }
    nodes.forEach(node -> stores.add(node.store()));
    return this;
  }

  private ClusterNode node(int i, int size, Replication replication) {
    return ClusterNode.join(
        directory.resolve(name + i),
        StoreOptions.defaults()
            .withPartitions(partitions)
            .withCheckpoints(CheckpointPolicy.defaults().withRetention(Duration.ZERO))
            .withReplication(replication),
        new ClusterSettings(
            name + i, Endpoint.loopback(ports.get(i)), seeds, size, 0, Long.MAX_VALUE));
  }

  ClusterNode node(int i) {
    return nodes.get(i);
  }

  Store store(int i) {
    return stores.get(i);
  }

  /** The address at which a node listens for other data centres. */
  String address(int i) {
    return "127.0.0.1:" + ports.get(nodes.size() + i);
  }

  /** Moves a partition, and waits until the node has it. */
  void move(int partition, int to) throws Exception {
    ClusterNode target = node(to);
    String there = name + to;
    Eventually.holds(there + " is known", () -> target.nodes().contains(there));
    Eventually.holds(
        "partition " + partition + " is moved", () -> isMoved(target, partition, there));
  }

  private static boolean isMoved(ClusterNode node, int partition, String there) {
    boolean isThere = node.partitions().get(partition).node().equals(there);
    if (!isThere) {
      try {
        node.move(partition, there);
      } catch (MoveRefusedException e) {
        // The move is in progress.
      }
    }
    return isThere;
  }

  /** The stores of the running nodes, which callers may close without effect. */
  List<Supplier<Store>> connections() {
    List<Supplier<Store>> connections = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      int node = i;
      connections.add(() -> unclosed(store(node)));
    }
    return connections;
  }

  private static Store unclosed(Store store) {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> {
              try {
                return method.getName().equals("close") ? null : method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Restarts a node. */
  void restart(int i) {
    nodes.get(i).close();
    nodes.set(i, node(i, nodes.size(), Replication.tcp(address(i))));
    stores.set(i, nodes.get(i).store());
  }

  @Override
  public void close() {
    nodes.forEach(ClusterNode::close);
  }
}
