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
 * Clients that hop from node to node, and go elsewhere when one fails. A node that is known not to
 * answer is left alone, as by a client that has waited for long enough. Thread-safe.
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
      threads.add(new Thread(() -> live(client), "client-" + i));
    }
    threads.forEach(Thread::start);
  }

  /** Connections stay open: who hops is there before the news is. */
  private void live(HistoryClient client) {
    Map<Integer, Store> stores = new HashMap<>();
    try {
      while (!isOver) {
        int node = client.any(cluster.size());
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
      for (int left = client.stay(); left > 0 && !isOver && !avoided.contains(node); left--) {
        // Now and then of the round before: what was written around a fault is read after it.
        int now = round.get();
        int of = client.any(5) == 0 ? Math.max(0, now - 1) : now;
        client.transact(store, "n" + node, new HistoryObjects(of));
        long unused = acknowledged.incrementAndGet();
      }
    } catch (StablecutException e) {
      long unused = failed.incrementAndGet();
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

  /** From now on other objects are used, so that what is read stays small. */
  void nextRound() {
    var unused = round.incrementAndGet();
  }

  /** From now on clients leave a node alone. */
  void avoid(int node) {
    boolean unused = avoided.add(node);
  }

  /** A node answers again. */
  void trust(int node) {
    boolean unused = avoided.remove(node);
  }

  /** How many transactions were acknowledged so far. */
  long acknowledged() {
    return acknowledged.get();
  }

  /** How many transactions failed, or ended nobody knows how. */
  long failed() {
    return failed.get();
  }

  /** Waits until so many more are acknowledged. */
  void awaitProgress(int transactions) throws Exception {
    long before = acknowledged();
    Eventually.holds("transactions are acknowledged", () -> acknowledged() > before + transactions);
  }

  /** Ends the clients, and has each node read all that there is. */
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

  /** What was in doubt may take a moment to be decided. */
  private static boolean hasRead(
      HistoryClient reader, Store store, String name, CausalToken seen, List<Key<?>> all) {
    try {
      reader.readFinally(store, name, seen, all);
      return true;
    } catch (StablecutException e) {
      return false;
    }
  }

  /** What all clients have seen together. */
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
