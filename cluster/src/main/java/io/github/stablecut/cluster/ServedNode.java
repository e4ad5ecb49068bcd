package io.github.stablecut.cluster;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.datacentre.ServedStore;
import io.github.stablecut.cluster.internal.datacentre.ServerDataCentre;
import io.github.stablecut.cluster.internal.network.EventLoops;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.internal.link.DataCentreInfo;
import io.github.stablecut.internal.link.JoinCall;
import io.github.stablecut.internal.link.Sockets;
import io.github.stablecut.internal.recovery.JoinDirectory;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.internal.transaction.StoreOpening;
import io.github.stablecut.log.Log;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.replication.DataCentres;
import io.github.stablecut.replication.Replication;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;

/**
 * The cluster node of a server. Thread-safe.
 *
 * <p>When a new cluster joins other data centres, each server exchanges its node for a new one of
 * the same name. The first seed gathers all partitions and fetches a copy of the other data
 * centres' store. It then makes all other nodes leave, and restarts the cluster with the fetched
 * store. The other servers rejoin as new nodes. A failure in between loses no data, because a new
 * cluster has none.
 */
final class ServedNode implements ServerDataCentre.GroupJoiner, AutoCloseable {
  private static final Logger LOG = Log.of(ServedNode.class);

  /** The time for which a node that has left waits until the seed has restarted the cluster. */
  private static final Duration RESTART_TIMEOUT = Duration.ofMinutes(5);

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Path data;
  private final StoreOptions options;
  private final ClusterSettings settings;
  private final String clients;
  private final EventLoops loops;
  private final CompletableFuture<RuntimeException> ended = new CompletableFuture<>();
  private volatile ClusterNode node;
  private volatile boolean isClosed;

  /** The store that the server serves; set once it serves. */
  private volatile Optional<ExchangeableStore> exchanged = Optional.empty();

  /**
   * A store that may be exchanged for another one.
   *
   * @param beforeExchange ends what clients have open in it
   */
  private record ExchangeableStore(ServedStore store, Runnable beforeExchange) {}

  /**
   * @param clients where the server listens for clients, as {@code host:port}
   * @param loops the threads of the server's sockets
   */
  ServedNode(
      Path data, StoreOptions options, ClusterSettings settings, String clients, EventLoops loops) {
    this.clients = clients;
    this.loops = loops;
    this.data = data;
    this.options = options;
    this.settings = settings;
    this.node = ClusterNode.join(data, options, settings, clients, Optional.of(loops));
  }

  /** The current node. */
  ClusterNode node() {
    return node;
  }

  /** Completes with the reason once the server has to be closed. */
  CompletionStage<RuntimeException> ended() {
    return ended.copy();
  }

  /**
   * Called once the server serves the store.
   *
   * @param beforeExchange ends what clients have open in it
   */
  void serve(ServedStore store, Runnable beforeExchange) {
    exchanged = Optional.of(new ExchangeableStore(store, beforeExchange));
    endOrFollow(node);
  }

  /** Waits until the node ends; then ends the server, or rejoins the restarted cluster. */
  private void endOrFollow(ClusterNode current) {
    current.ended().thenAccept(reason -> endOrFollow(current, reason));
  }

  private void endOrFollow(ClusterNode left, RuntimeException reason) {
    Optional<Request.Renew> renewal = left.renewal();
    if (renewal.isEmpty()) {
      ended.complete(reason);
    } else {
      Threads.daemon("stablecut-renewal", () -> follow(left, renewal.get())).start();
    }
  }

  /** The options with the port that other data centres already know, if the system chose it. */
  private static StoreOptions withCurrentPort(StoreOptions options, DataCentres now) {
    return options
        .replication()
        .map(
            replication ->
                options.withReplication(
                    replication.withListen(
                        replication
                            .listen()
                            .orElseThrow()
                            .replaceFirst(":0$", ":" + now.port().orElseThrow()))))
        .orElse(options);
  }

  /** Rejoins the cluster, which the first seed has restarted, as a new node. */
  private void follow(ClusterNode left, Request.Renew renewal) {
    try {
      ExchangeableStore served = exchanged.orElseThrow();
      StoreOptions next = withCurrentPort(options, served.store.get().dataCentres());
      served.beforeExchange.run();
      served.store.exchange(
          before -> {
            left.close();
            JoinDirectory.emptyNode(data, 0);
            awaitRestart(renewal);
            return open(next);
          });
      LOG.info(
          "node {} has rejoined its cluster, which has joined other data centres", settings.node());
    } catch (RuntimeException e) {
      ended.complete(e);
    } catch (Error e) {
      // Closes the server; the error itself ends this thread only.
      ended.complete(new IllegalStateException("the node could not rejoin its cluster: " + e, e));
      throw e;
    }
  }

  /** Waits until the first seed no longer belongs to its old group of data centres. */
  private void awaitRestart(Request.Renew renewal) {
    Sockets sockets = new Sockets(options.replication().flatMap(Replication::tls));
    long deadlineNanos = System.nanoTime() + RESTART_TIMEOUT.toNanos();
    while (!isClosed
        && System.nanoTime() - deadlineNanos < 0
        && group(sockets, renewal.address()).equals(Optional.of(renewal.group()))) {
      LockSupport.parkNanos(this, POLL_NANOS);
    }
  }

  private static Optional<Long> group(Sockets sockets, String address) {
    try {
      return Optional.of(JoinCall.ask(sockets, address).group());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private Store open(StoreOptions next) {
    ClusterNode opened;
    synchronized (this) {
      if (isClosed) {
        throw new StoreClosedException("the server is stopping");
      }
      opened = ClusterNode.join(data, next, settings, clients, Optional.of(loops));
      node = opened;
    }
    Store store = opened.store();
    endOrFollow(opened);
    return store;
  }

  @Override
  public void join(List<String> addresses, DataCentreInfo group) {
    ClusterNode before = node;
    ExchangeableStore served = exchanged.orElseThrow();
    DataCentres own = served.store.get().dataCentres();
    int partitions = before.partitions().size();
    if (options.partitions() != 0 && options.partitions() != group.partitions()) {
      throw new ReplicationRefusedException(
          "the data centre at %s has %d partitions, and this cluster is configured for %d: start its nodes with the same number (--partitions)"
              .formatted(addresses.get(0), group.partitions(), options.partitions()));
    }
    StoreOptions now = withCurrentPort(options, own);
    Replication joining = now.replication().orElseThrow();
    for (String address : addresses) {
      joining = joining.join(address);
    }
    StoreOptions next = now.withReplication(joining);
    before.gather();
    Path files = StoreOpening.fetch(data, joining);
    List<StablecutException> failures = new ArrayList<>(1);
    try {
      before.renewOthers(ServerDataCentre.addressOfThis(own), own.group());
      served.beforeExchange.run();
      served.store.exchange(
          ignored -> {
            before.close();
            try {
              StoreOpening.exchangeNode(data, partitions, settings.node(), files);
            } catch (StablecutException e) {
              failures.add(e);
            }
            return open(failures.isEmpty() ? next : now);
          });
    } finally {
      JoinDirectory.finish(files);
    }
    for (StablecutException failure : failures) {
      throw failure;
    }
    LOG.info(
        "the cluster has joined the data centres at {} as {}",
        addresses,
        served.store.get().dataCentres().own());
  }

  @Override
  public void close() {
    ClusterNode last;
    synchronized (this) {
      isClosed = true;
      last = node;
    }
    last.close();
  }
}
