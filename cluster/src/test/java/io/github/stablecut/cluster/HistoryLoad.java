package io.github.stablecut.cluster;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Store;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.Key;
import io.github.stablecut.testing.history.HistoryRecorder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients that move from node to node, and to another one when one fails. They avoid a node that is
 * known to be silent, as a client does after a timeout. Thread-safe.
 */
final class HistoryLoad implements AutoCloseable {
  private static final int CLIENTS = 6;

  private final TestCluster cluster;
  private final HistoryRecorder recorder;
  private final List<HistoryClient> clients = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Set<Integer> avoided = ConcurrentHashMap.newKeySet();
  private final Queue<Throwable> broken = new ConcurrentLinkedQueue<>();
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicInteger round = new AtomicInteger();
  private volatile boolean isOver;

  HistoryLoad(TestCluster cluster, HistoryRecorder recorder, long seed) {
    this.cluster = cluster;
    this.recorder = recorder;
    for (int i = 0; i < CLIENTS; i++) {
      HistoryClient client = new HistoryClient(recorder, "s" + i, seed + i);
      clients.add(client);
      threads.add(new Thread(() -> run(client), "client-" + i));
    }
    threads.forEach(Thread::start);
  }

  /** Connections stay open, so a client that moves on is there before the other nodes' gossip. */
  private void run(HistoryClient client) {
    Map<Integer, Store> stores = new HashMap<>();
    try {
      while (!isOver) {
        int node = client.randomBelow(cluster.size());
        if (!avoided.contains(node)) {
          visit(client, node, stores);
        }
      }
    } catch (RuntimeException e) {
      broken.add(e);
    } finally {
      stores.values().forEach(Store::close);
    }
  }

  private void visit(HistoryClient client, int node, Map<Integer, Store> stores) {
    try {
      Store store = stores.computeIfAbsent(node, there -> cluster.node(there).connect());
      for (int left = client.transactionsOnOneNode();
          left > 0 && !isOver && !avoided.contains(node);
          left--) {
        // Occasionally uses objects of the previous round, so that writes around a fault are read
        // after it.
        int now = round.get();
        int of = client.randomBelow(5) == 0 ? Math.max(0, now - 1) : now;
        client.transact(store, "n" + node, new HistoryObjects(of));
        acknowledged.incrementAndGet();
      }
    } catch (StablecutException e) {
      failed.incrementAndGet();
      Store failing = stores.remove(node);
      if (failing != null) {
        failing.close();
      }
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Uses new objects from now on, so that reads stay small. */
  void nextRound() {
    round.incrementAndGet();
  }

  /** Makes clients avoid a node from now on. */
  void avoid(int node) {
    avoided.add(node);
  }

  /** Lets clients use a node again. */
  void trust(int node) {
    avoided.remove(node);
  }

  /** The number of transactions acknowledged so far. */
  long acknowledged() {
    return acknowledged.get();
  }

  /** The number of transactions that failed or whose outcome is unknown. */
  long failed() {
    return failed.get();
  }

  /** Waits until the given number of transactions more is acknowledged. */
  void awaitProgress(int transactions) throws Exception {
    long before = acknowledged();
    Eventually.holds("transactions are acknowledged", () -> acknowledged() > before + transactions);
  }

  /** Ends the clients, and reads all objects on each node. */
  void readFinally() throws Exception {
    close();
    for (Throwable failure : broken) {
      throw new AssertionError("a client failed", failure);
    }
    CausalToken seen = seen();
    List<Key<?>> all = new ArrayList<>();
    for (int i = 0; i <= round.get(); i++) {
      all.addAll(new HistoryObjects(i).all());
    }
    for (int node = 0; node < cluster.size(); node++) {
      String name = "n" + node;
      HistoryClient reader = new HistoryClient(recorder, "final-" + name, node);
      try (Store store = cluster.node(node).connect()) {
        Eventually.holds(name + " reads all", () -> hasRead(reader, store, name, seen, all));
      }
    }
  }

  /** In-doubt transactions may take a moment to be decided. */
  private static boolean hasRead(
      HistoryClient reader, Store store, String name, CausalToken seen, List<Key<?>> all) {
    try {
      reader.readFinally(store, name, seen, all);
      return true;
    } catch (StablecutException e) {
      return false;
    }
  }

  /** The point that all clients have seen together. */
  private CausalToken seen() {
    return clients.stream()
        .map(HistoryClient::seen)
        .flatMap(Optional::stream)
        .reduce((a, b) -> new CausalToken(a.storeId(), a.vector().join(b.vector())))
        .orElseThrow();
  }

  @Override
  public void close() {
    isOver = true;
    Joining.all(threads);
  }
}
