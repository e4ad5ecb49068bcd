package io.github.stablecut.cluster;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.cluster.internal.admin.AdminHandler;
import io.github.stablecut.cluster.internal.admin.AdminPortFile;
import io.github.stablecut.cluster.internal.admin.Metrics;
import io.github.stablecut.cluster.internal.admin.ServerInfo;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.datacentre.DataCentreCommands;
import io.github.stablecut.cluster.internal.datacentre.ServedStore;
import io.github.stablecut.cluster.internal.datacentre.ServerDataCentre;
import io.github.stablecut.cluster.internal.datacentre.StoreExchange;
import io.github.stablecut.cluster.internal.datacentre.UnconnectedDataCentre;
import io.github.stablecut.cluster.internal.network.HttpServer;
import io.github.stablecut.cluster.internal.network.Tls;
import io.github.stablecut.cluster.internal.service.CallHandler;
import io.github.stablecut.cluster.internal.service.ClientHandles;
import io.github.stablecut.cluster.internal.service.DataCentreRequests;
import io.github.stablecut.cluster.internal.service.HandleShares;
import io.github.stablecut.cluster.internal.service.LargeRequests;
import io.github.stablecut.cluster.internal.service.OpenTransactions;
import io.github.stablecut.cluster.internal.service.RequestHandler;
import io.github.stablecut.cluster.internal.service.Service;
import io.github.stablecut.cluster.internal.service.SessionIds;
import io.github.stablecut.cluster.internal.service.TransactionLimits;
import io.github.stablecut.cluster.internal.service.Workers;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.replication.Replication;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;

/**
 * A store served to clients of AntidoteDB's protocol. It answers from the moment it is started to
 * the moment it is closed, and never before the store is recovered. Thread-safe.
 */
public final class Server implements AutoCloseable {
  private static final long EIGHTH_OF_HEAP = Runtime.getRuntime().maxMemory() / 8;

  /** How often a client is told that its call is still being executed, once that takes so long. */
  private static final Duration ALIVE = Duration.ofSeconds(2);

  /** How long a large request waits for others. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** What a scan takes of the heap, about, for each partition. */
  private static final int SCAN_BYTES = 16 << 10;

  private final ServerSettings settings;
  private final ServerPorts ports;
  private final Workers workers;
  private final Optional<ServedNode> served;
  private final ServedStore store;
  private final DataCentreCommands dataCentre;
  private final OpenTransactions transactions;
  private final ClientHandles held;
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
                  how ->
                      new ServedNode(settings.data(), options, how, clients(how), ports.loops()));
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
    this.held =
        new ClientHandles(
            limits,
            new ClientHandles.Most(mostScans(), settings.store().limits().openWatches()),
            System::nanoTime);
    workers.repeat(transactions::abortIdle, limits.interval());
    workers.repeat(held::endIdle, limits.interval());
    workers.repeat(() -> ports.listener().sayAlive(ALIVE.toNanos()), ALIVE);
    RequestHandler handler =
        new RequestHandler(
            store,
            transactions,
            metrics,
            new DataCentreRequests(
                dataCentre,
                () -> clusterNode().map(one -> one.members().size()).orElse(1),
                settings.limits().dataCentreOrders()),
            maxResponseBytes());
    serve(handler);
    served.ifPresent(node -> node.serve(store, this::abortTransactions));
  }

  /** As many as take an eighth of the heap. */
  private int mostScans() {
    long one = (long) SCAN_BYTES * Math.max(1, settings.store().partitions());
    return (int) Math.min(Integer.MAX_VALUE, EIGHTH_OF_HEAP / one);
  }

  private Optional<ClusterNode> clusterNode() {
    return served.map(ServedNode::node);
  }

  /** Where this server tells clients of other nodes that it is. */
  private String clients(ClusterSettings cluster) {
    boolean isAnywhere = ports.listener().address().getAddress().isAnyLocalAddress();
    String host = isAnywhere ? cluster.endpoint().bind() : settings.protocol().bind();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + address().getPort();
  }

  /** Who has which objects, for clients. */
  private Answer.Layout layout() {
    return clusterNode()
        .flatMap(ClusterNode::layout)
        .orElseGet(
            () ->
                new Answer.Layout(
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
    DataCentreSettings how = settings.dataCentre().get();
    var unused = ServerPorts.address(how.endpoint(), "replication.listen", "replication.tls");
    Replication replication = how.replication();
    return options.withReplication(
        how.tls()
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
            .<ServerDataCentre.Joining>map(node -> node)
            .orElseGet(
                () -> new StoreExchange(settings.data(), options, store, this::abortTransactions)));
  }

  /** What clients have begun in a store that is exchanged. */
  private void abortTransactions() {
    transactions.abortAll();
    held.endAll();
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
   * Takes the ports, opens the store and recovers it, or joins the cluster, and serves. Meanwhile
   * clients that connect wait, and operators are told that it starts.
   *
   * @throws SettingsException if the settings are wrong or unsafe
   * @throws io.github.stablecut.error.StablecutException as {@link Stablecut#open} does, or if a
   *     port can't be opened; then nothing is left open
   */
  public static Server start(ServerSettings settings) {
    return new Server(settings);
  }

  private void serve(RequestHandler handler) {
    Facts facts = new Facts();
    metrics.register(facts, settings.store().clock());
    ports
        .operations()
        .ifPresent(
            port -> {
              AdminPortFile file = AdminPortFile.of(port.address());
              port.answer(new AdminHandler(facts, metrics, store, file));
              // Whoever opens the directory takes the last one's file away.
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
                    held,
                    sessions,
                    metrics,
                    maxResponseBytes()),
                new LargeRequests(4 * EIGHTH_OF_HEAP, PATIENCE),
                workers,
                metrics,
                System::nanoTime));
  }

  private long maxResponseBytes() {
    return Math.min(EIGHTH_OF_HEAP, settings.limits().sizes().response());
  }

  /** What operators are told. */
  private final class Facts implements ServerInfo {
    private volatile Optional<StoreStatus> lastStatus = Optional.empty();

    @Override
    public int connections() {
      return ports.listener().connections();
    }

    @Override
    public int transactions() {
      return transactions.count();
    }

    @Override
    public Map<String, Integer> handles() {
      return held.countByKind();
    }

    @Override
    public Optional<String> trouble() {
      return closed.get()
          ? Optional.of("the server is stopping")
          : clusterNode().flatMap(ClusterNode::end).or(this::ofStore);
    }

    private Optional<String> ofStore() {
      return store.find().isEmpty()
          ? Optional.of("the store joins other data centres")
          : store().journal().problems().stream().findFirst();
    }

    @Override
    public List<String> warnings() {
      return clusterNode().map(ClusterNode::warnings).orElse(List.of());
    }

    @Override
    public StoreStatus store() {
      try {
        lastStatus = store.find().map(Store::status).or(() -> lastStatus);
      } catch (StoreClosedException e) {
        // It is being exchanged.
      }
      return lastStatus.orElseGet(() -> store.get().status());
    }

    @Override
    public Path directory() {
      return settings.data();
    }

    @Override
    public DataCentreCommands dataCentre() {
      return dataCentre;
    }

    @Override
    public List<PartitionLocation> partitions() {
      return Server.this.partitions();
    }

    @Override
    public List<PartitionReplicaLocation> replicas() {
      return Server.this.replicas();
    }

    @Override
    public List<PartitionReplicaDigest> digests(LongConsumer progress) {
      return clusterNode().map(node -> node.digests(progress)).orElse(List.of());
    }

    @Override
    public Set<String> nodes() {
      return clusterNode().map(ClusterNode::nodes).orElse(Set.of());
    }

    @Override
    public Set<String> members() {
      return clusterNode().map(ClusterNode::members).orElse(Set.of());
    }

    @Override
    public Optional<String> node() {
      return settings.cluster().map(ClusterSettings::node);
    }

    @Override
    public long move(int partition, String to) {
      return clustered().move(partition, to);
    }

    @Override
    public Set<String> leaving() {
      return clusterNode().map(ClusterNode::leaving).orElse(Set.of());
    }

    @Override
    public void announceLeave(String by, Duration time) {
      clustered().announceLeave(by, time);
    }

    @Override
    public void leave() {
      clustered().leave();
    }

    @Override
    public void replace(String lost, String by) {
      clustered().replace(lost, by);
    }

    @Override
    public void changeReplicas(int number) {
      clustered().changeReplicas(number);
    }

    @Override
    public void spreadReplicas(Optional<String> without) {
      clustered().spreadReplicas(without);
    }

    @Override
    public int replicationFactor() {
      return clusterNode().map(ClusterNode::replicationFactor).orElse(0);
    }

    @Override
    public Map<String, String> zones() {
      return clusterNode().map(ClusterNode::zones).orElse(Map.of());
    }

    @Override
    public int replicasNotSpread() {
      return clusterNode().map(ClusterNode::replicasNotSpread).orElse(0);
    }

    @Override
    public int replicasUpToDate() {
      return clusterNode().map(ClusterNode::replicasUpToDate).orElse(0);
    }

    @Override
    public boolean keepsRegister() {
      return clusterNode().filter(ClusterNode::keepsRegister).isPresent();
    }

    @Override
    public Optional<RegisterLocation> registerPlace() {
      return clusterNode().flatMap(ClusterNode::registerPlace);
    }

    @Override
    public Set<Integer> lostWith(Set<String> nodes) {
      return clustered().lostWith(nodes);
    }

    @Override
    public void forget(Set<String> nodes, Set<Integer> partitions) {
      clustered().forget(nodes, partitions);
    }

    private ClusterNode clustered() {
      return clusterNode()
          .orElseThrow(
              () -> new MoveRefusedException("this server is in no cluster: start it with --join"));
    }
  }

  /** Where clients connect. */
  public InetSocketAddress address() {
    return ports.listener().address();
  }

  /** Where operators ask, if they can. */
  public Optional<InetSocketAddress> operationsAddress() {
    return ports.operations().map(HttpServer::address);
  }

  /**
   * The store, for use in this process beside the clients; closed with the server. A new store that
   * joins other data centres while the server runs is exchanged for another one.
   */
  public Store store() {
    return store.get();
  }

  /** Where the partitions of the cluster are, by number; empty if the store is in no cluster. */
  public List<PartitionLocation> partitions() {
    return clusterNode().map(ClusterNode::partitions).orElse(List.of());
  }

  /** This node's copies of partitions, by number; empty if each partition exists once. */
  public List<PartitionReplicaLocation> replicas() {
    return clusterNode().map(ClusterNode::replicas).orElse(List.of());
  }

  /**
   * Completes, with the reason, when the cluster has removed this node, or it has left ({@link
   * NodeLeftException}): the server has to be closed then, and can be started again.
   */
  public CompletionStage<RuntimeException> ended() {
    return served.map(ServedNode::ended).orElseGet(CompletableFuture::new);
  }

  /** How many clients are connected. */
  public int connections() {
    return ports.listener().connections();
  }

  /** How many interactive transactions of clients are open. */
  public int openTransactions() {
    return transactions.count();
  }

  /**
   * Takes no more requests, answers those that have come, aborts open transactions, and closes the
   * store. Idempotent.
   */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      try {
        // Nobody waits any more for what a watch tells.
        held.endAll();
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
      held.endAll();
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
