package io.github.stablecut.cluster;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.admin.AdminHandler;
import io.github.stablecut.cluster.internal.admin.AdminPortFile;
import io.github.stablecut.cluster.internal.admin.Metrics;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.datacentre.DataCentreCommands;
import io.github.stablecut.cluster.internal.datacentre.ServedStore;
import io.github.stablecut.cluster.internal.datacentre.ServerDataCentre;
import io.github.stablecut.cluster.internal.datacentre.StoreExchange;
import io.github.stablecut.cluster.internal.datacentre.UnconnectedDataCentre;
import io.github.stablecut.cluster.internal.network.HttpServer;
import io.github.stablecut.cluster.internal.network.Tls;
import io.github.stablecut.cluster.internal.service.CallHandler;
import io.github.stablecut.cluster.internal.service.DataCentreRequests;
import io.github.stablecut.cluster.internal.service.LargeRequests;
import io.github.stablecut.cluster.internal.service.RequestHandler;
import io.github.stablecut.cluster.internal.service.Service;
import io.github.stablecut.cluster.internal.service.SessionIds;
import io.github.stablecut.cluster.internal.service.Workers;
import io.github.stablecut.cluster.internal.service.handle.ClientHandles;
import io.github.stablecut.cluster.internal.service.handle.HandleShares;
import io.github.stablecut.cluster.internal.service.handle.OpenTransactions;
import io.github.stablecut.cluster.internal.service.handle.TransactionLimits;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.replication.Replication;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A server that serves a store to clients, also those of AntidoteDB's protocol. It answers requests
 * once the store is recovered, until it is closed. Thread-safe.
 */
public final class Server implements AutoCloseable {
  private static final long EIGHTH_OF_HEAP = Runtime.getRuntime().maxMemory() / 8;

  /** The interval at which a client is notified that its long-running call is still in progress. */
  private static final Duration KEEP_ALIVE_INTERVAL = Duration.ofSeconds(2);

  /** The time for which a large request waits for memory that others occupy. */
  private static final Duration LARGE_REQUEST_WAIT = Duration.ofSeconds(10);

  /** Roughly the heap that a scan occupies for each partition. */
  private static final int SCAN_BYTES = 16 << 10;

  private final ServerSettings settings;
  private final ServerPorts ports;
  private final Workers workers;
  private final Optional<ServedNode> served;
  private final ServedStore store;
  private final DataCentreCommands dataCentre;
  private final OpenTransactions transactions;
  private final ClientHandles handles;
  private final SessionIds sessions;
  private final Metrics metrics = new Metrics();
  private final AtomicBoolean closed = new AtomicBoolean();

  private Server(ServerSettings settings) {
    this.settings = settings;
    int connections = ServerPorts.connections(settings.limits().connections());
    this.ports = ServerPorts.open(settings, connections);
    this.workers = new Workers(settings.threads().workers(), connections);
    try {
      StoreOptions options = options();
      this.served =
          settings
              .cluster()
              .map(
                  cluster ->
                      new ServedNode(
                          settings.data(),
                          options,
                          cluster,
                          clientAddress(cluster),
                          ports.loops()));
      this.store = new ServedStore(open(options));
      this.dataCentre = dataCentre(options);
      this.sessions = SessionKeys.of(settings, store);
    } catch (RuntimeException | Error e) {
      ports.close(Duration.ZERO);
      ports.loops().close();
      workers.close();
      throw e;
    }
    TransactionLimits limits = limits(settings.limits());
    this.transactions =
        new OpenTransactions(
            limits,
            System::nanoTime,
            settings.cluster().map(ClusterSettings::node).orElse(""),
            () -> clusterNode().map(ClusterNode::nodes).orElse(Set.of()));
    this.handles =
        new ClientHandles(
            limits,
            new ClientHandles.Limits(maxScans(), settings.store().limits().openWatches()),
            System::nanoTime);
    workers.repeat("the end of idle transactions", limits.interval(), transactions::abortIdle);
    workers.repeat("the end of idle handles", limits.interval(), handles::endIdle);
    workers.repeat(
        "the keep-alive of clients",
        KEEP_ALIVE_INTERVAL,
        () -> ports.listener().sayAlive(KEEP_ALIVE_INTERVAL.toNanos()));
    RequestHandler handler =
        new RequestHandler(
            store,
            transactions,
            metrics,
            new DataCentreRequests(
                dataCentre,
                () -> clusterNode().map(node -> node.members().size()).orElse(1),
                settings.limits().dataCentreOrders()),
            maxResponseBytes());
    serve(handler);
    served.ifPresent(node -> node.serve(store, this::abortTransactions));
  }

  /** The number of scans that occupy an eighth of the heap. */
  private int maxScans() {
    long bytesPerScan = (long) SCAN_BYTES * Math.max(1, settings.store().partitions());
    return (int) Math.min(Integer.MAX_VALUE, EIGHTH_OF_HEAP / bytesPerScan);
  }

  private Optional<ClusterNode> clusterNode() {
    return served.map(ServedNode::node);
  }

  /** This server's address for clients, as {@code host:port}; other nodes pass it on to theirs. */
  private String clientAddress(ClusterSettings cluster) {
    boolean isAnywhere = ports.listener().address().getAddress().isAnyLocalAddress();
    String host = isAnywhere ? cluster.endpoint().bind() : settings.protocol().bind();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + address().getPort();
  }

  /** The owners of the partitions, for clients. */
  private Answer.PartitionOwners layout() {
    return clusterNode()
        .flatMap(ClusterNode::layout)
        .orElseGet(
            () ->
                new Answer.PartitionOwners(
                    store.get().snapshot().token().storeId(), 0, List.of(), List.of()));
  }

  private static TransactionLimits limits(ServerSettings.ClientLimits all) {
    ServerSettings.Transactions limits = all.transactions();
    ServerSettings.Shares shares = all.shares();
    return new TransactionLimits(
        limits.perConnection(),
        limits.all(),
        EIGHTH_OF_HEAP,
        limits.idle(),
        new HandleShares(
            shares.connection(), shares.address(), shares.user(), shares.disconnected()),
        limits.certification());
  }

  private StoreOptions options() {
    StoreOptions options = settings.store().withExecutor(workers);
    if (settings.dataCentre().isEmpty()) {
      return options;
    }
    DataCentreSettings own = settings.dataCentre().get();
    ServerPorts.requireSafe(own.endpoint(), "replication.listen", "replication.tls");
    Replication replication = own.replication();
    return options.withReplication(
        own.tls()
            .map(
                files ->
                    replication.withTls(
                        Tls.mutual(
                            files.certificate(),
                            files.key(),
                            files.clientAuthority().orElseThrow())))
            .orElse(replication));
  }

  private DataCentreCommands dataCentre(StoreOptions options) {
    Optional<Replication> overTcp =
        options.replication().filter(replication -> replication.listen().isPresent());
    if (overTcp.isEmpty()) {
      return new UnconnectedDataCentre(() -> store.get().status().storeId());
    }
    return new ServerDataCentre(
        store,
        overTcp.get(),
        served
            .<ServerDataCentre.GroupJoiner>map(node -> node)
            .orElseGet(
                () -> new StoreExchange(settings.data(), options, store, this::abortTransactions)));
  }

  /** Ends what clients have open in a store that is about to be exchanged. */
  private void abortTransactions() {
    transactions.abortAll();
    handles.closeAll();
  }

  private Store open(StoreOptions options) {
    if (served.isEmpty()) {
      return Stablecut.open(settings.data(), options);
    }
    try {
      return served.get().node().store();
    } catch (RuntimeException | Error e) {
      served.get().close();
      throw e;
    }
  }

  /**
   * Opens the ports, opens and recovers the store or joins the cluster, and then serves. Until
   * then, clients that connect wait, and the admin port reports that the server is starting.
   *
   * @throws SettingsException if the settings are wrong or unsafe
   * @throws io.github.stablecut.error.StablecutException as {@link Stablecut#open} does, or if a
   *     port can't be opened; nothing stays open then
   */
  public static Server start(ServerSettings settings) {
    return new Server(settings);
  }

  private void serve(RequestHandler handler) {
    ServerFacts facts =
        new ServerFacts(
            ports,
            transactions,
            handles,
            store,
            settings,
            dataCentre,
            this::clusterNode,
            closed::get);
    metrics.register(facts, settings.store().clock());
    ports
        .operations()
        .ifPresent(
            port -> {
              AdminPortFile file = AdminPortFile.of(port.address());
              port.answer(new AdminHandler(facts, metrics, store, file));
              // Opening the directory deletes the file of its previous owner.
              store.andAfterExchanges(() -> file.write(settings.data()));
            });
    ports
        .listener()
        .serve(
            new Service(
                handler,
                new CallHandler(
                    store,
                    settings.store().objectTypes(),
                    this::layout,
                    transactions,
                    handles,
                    sessions,
                    metrics,
                    maxResponseBytes()),
                new LargeRequests(4 * EIGHTH_OF_HEAP, LARGE_REQUEST_WAIT),
                workers,
                metrics,
                System::nanoTime));
  }

  private long maxResponseBytes() {
    return Math.min(EIGHTH_OF_HEAP, settings.limits().sizes().response());
  }

  /** The address for clients. */
  public InetSocketAddress address() {
    return ports.listener().address();
  }

  /** The address of the admin port, if there is one. */
  public Optional<InetSocketAddress> operationsAddress() {
    return ports.operations().map(HttpServer::address);
  }

  /**
   * The store, for use in this process; closed with the server. When a new store joins other data
   * centres, the server exchanges it for another {@code Store}.
   */
  public Store store() {
    return store.get();
  }

  /**
   * The locations of the cluster's partitions, by number; empty if the server is not a cluster
   * node.
   */
  public List<PartitionLocation> partitions() {
    return clusterNode().map(ClusterNode::partitions).orElse(List.of());
  }

  /** This node's replicas of partitions, by number; empty if each partition exists once. */
  public List<PartitionReplicaLocation> replicas() {
    return clusterNode().map(ClusterNode::replicas).orElse(List.of());
  }

  /**
   * Completes with the reason when the cluster has removed this node, or the node has left ({@link
   * NodeLeftException}). The caller then closes the server, and may start it again.
   */
  public CompletionStage<RuntimeException> ended() {
    return served.map(ServedNode::ended).orElseGet(CompletableFuture::new);
  }

  /** Returns the number of connected clients. */
  public int connections() {
    return ports.listener().connections();
  }

  /** Returns the number of open interactive transactions. */
  public int openTransactions() {
    return transactions.count();
  }

  /**
   * Stops accepting requests, answers the received ones, aborts open transactions, and closes the
   * store. Idempotent.
   */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      try {
        // The watches end first, so that no connection waits for their events.
        handles.closeAll();
        ports.close(settings.threads().shutdown());
      } finally {
        closeStore();
      }
    }
  }

  private void closeStore() {
    AdminPortFile.delete(settings.data());
    try {
      transactions.abortAll();
      handles.closeAll();
    } finally {
      closeServed();
    }
  }

  private void closeServed() {
    try {
      if (served.isPresent()) {
        served.get().close();
      } else {
        store.close();
      }
    } finally {
      ports.loops().close();
      workers.close();
      metrics.close();
    }
  }
}
