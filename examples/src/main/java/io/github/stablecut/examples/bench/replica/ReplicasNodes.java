package io.github.stablecut.examples.bench.replica;

import io.github.stablecut.Store;
import io.github.stablecut.examples.bench.replica.ReplicasPeer.Work;
import io.github.stablecut.examples.bench.wire.FreePorts;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.key.Key;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The nodes of a cluster with one partition, each in its own process on this machine, the leader's
 * first, and a client.
 */
public record ReplicasNodes(int replicas, List<ReplicasPeer> peers, Store client)
    implements AutoCloseable {
  /** Starts one node per replica. */
  public static ReplicasNodes start(Path directory, int replicas) throws Exception {
    List<Integer> ports = FreePorts.find(replicas);
    List<ReplicasPeer> peers = new ArrayList<>();
    List<Store> clients = new ArrayList<>();
    for (int i = 0; i < replicas; i++) {
      peers.add(ReplicasPeer.start(directory.resolve("replicas-" + replicas), ports, i, replicas));
    }
    for (ReplicasPeer peer : peers) {
      clients.add(peer.connect());
    }
    clients.get(0).update(Key.counter("bench", "first").increment(1));
    // Only the leader reports records.
    int leader = 0;
    for (int i = 0; i < replicas; i++) {
      leader = peers.get(i).work().records() > 0 ? i : leader;
    }
    peers.add(0, peers.remove(leader));
    Store client = clients.remove(leader);
    clients.forEach(Store::close);
    return new ReplicasNodes(replicas, peers, client);
  }

  public List<Work> work() throws IOException {
    List<Work> all = new ArrayList<>();
    for (ReplicasPeer peer : peers) {
      all.add(peer.work());
    }
    return all;
  }

  /** The lag of the other replicas, as the leader's node reports it. */
  public ReplicasPeer.Lag lag() throws IOException {
    return peers.get(0).work().lag();
  }

  /** Kills the last node, as a crash does. */
  public void endLast() {
    peers.get(replicas - 1).close();
  }

  /**
   * Restarts the last node without waiting.
   *
   * @param isEmpty whether the node has lost its directory
   */
  public void restartLast(boolean isEmpty) throws IOException {
    ReplicasPeer ended = peers.get(replicas - 1);
    if (isEmpty) {
      FileTrees.delete(ended.directory());
    }
    peers.set(replicas - 1, ended.again());
  }

  @Override
  public void close() {
    client.close();
    peers.forEach(ReplicasPeer::close);
  }
}
