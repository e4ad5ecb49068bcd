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
 * The cluster node of a server. When its cluster, which has to be new, joins other data centres, it
 * is exchanged for one of the same name: the first of the seeds gets all partitions, fetches what
 * the others have, has all other nodes leave, and begins the cluster again with that; the others
 * come back as new nodes. Nothing is lost whatever fails in between, as nothing was written.
 * Thread-safe.
 */
final class ServedNode implements ServerDataCentre.Joining, AutoCloseable {
  private static final Logger LOG = Log.of(ServedNode.class);

  /** How long a node that has left waits for the one that it follows. */
  private static final Duration FOLLOWING = Duration.ofMinutes(5);

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Path data;
  private final StoreOptions options;
  private final ClusterSettings settings;
  private final String clients;
  private final EventLoops loops;
  private final CompletableFuture<RuntimeException> ended = new CompletableFuture<>();
  private volatile ClusterNode node;
  private volatile boolean isClosed;

  /** What the server serves, and what ends what clients have begun in it. */
  private volatile Optional<Exchanged> exchanged = Optional.empty();

  /** A store that may be exchanged for another one. */
  private record Exchanged(ServedStore store, Runnable beforeExchange) {}

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

  /** The node as it is now. */
  ClusterNode node() {
    return node;
  }

  /** Why the server has to be closed, once it has to. */
  CompletionStage<RuntimeException> ended() {
    return ended.copy();
  }

  /**
   * The store is served from now on.
   *
   * @param beforeExchange ends what clients have begun in it
   */
  void serve(ServedStore store, Runnable beforeExchange) {
    exchanged = Optional.of(new Exchanged(store, beforeExchange));
    endOrFollow(node);
  }

  private void endOrFollow(ClusterNode one) {
    var unused =
        one.ended()
            .thenAccept(
                why -> {
                  if (one.renewal().isEmpty()) {
                    boolean unusedToo = ended.complete(why);
                  } else {
                    Request.Renew renewal = one.renewal().get();
                    Threads.daemon("stablecut-renewal", () -> follow(one, renewal)).start();
                  }
                });
  }

  private static StoreOptions at(StoreOptions options, DataCentres now) {
    // Others were told of the port that it has now.
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

  /** Becomes a new node of the cluster that another node has begun again. */
  private void follow(ClusterNode left, Request.Renew renewal) {
    try {
      Exchanged there = exchanged.orElseThrow();
      StoreOptions next = at(options, there.store.get().dataCentres());
      there.beforeExchange.run();
      there.store.exchange(
          before -> {
            left.close();
            JoinDirectory.emptyNode(data, 0);
            awaitEnd(renewal);
            return open(next);
          });
      LOG.info("node {} is a new node of its cluster, which has joined others", settings.node());
    } catch (RuntimeException e) {
      boolean unused = ended.complete(e);
    } catch (Error e) {
      // Whoever waits for the end of the server is told, though this thread ends with the error.
      boolean unused =
          ended.complete(
              new IllegalStateException(
                  "the node could not begin anew as a node of its cluster: " + e, e));
      throw e;
    }
  }

  /** Waits until the node that this one follows is no longer what it was. */
  private void awaitEnd(Request.Renew renewal) {
    Sockets sockets = new Sockets(options.replication().flatMap(Replication::tls));
    long deadline = System.nanoTime() + FOLLOWING.toNanos();
    while (!isClosed
        && System.nanoTime() - deadline < 0
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
    Exchanged there = exchanged.orElseThrow();
    DataCentres own = there.store.get().dataCentres();
    int partitions = before.partitions().size();
    if (options.partitions() != 0 && options.partitions() != group.partitions()) {
      throw new ReplicationRefusedException(
          "the data centre at %s has %d partitions, and this cluster is to have %d: start its nodes with as many (--partitions)"
              .formatted(addresses.get(0), group.partitions(), options.partitions()));
    }
    StoreOptions now = at(options, own);
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
      there.beforeExchange.run();
      there.store.exchange(
          unused -> {
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
        "the cluster is data centre {} of {} now",
        there.store.get().dataCentres().own(),
        addresses);
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
