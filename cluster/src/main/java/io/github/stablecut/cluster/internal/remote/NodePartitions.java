package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.MoveFacts;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeFacts;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.partition.Message;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.partition.Surroundings;
import io.github.stablecut.internal.recovery.MoveMark;
import io.github.stablecut.internal.recovery.MovedPartitions;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PartitionClaim;
import io.github.stablecut.internal.recovery.PartitionImage;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.internal.transaction.PartitionFiles;
import io.github.stablecut.internal.transaction.PartitionProvider;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node's directory, the partitions in it, and the store over all partitions. Thread-safe. */
public final class NodePartitions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodePartitions.class);

  private final NodeSettings settings;
  private final NodeClock clock;
  private final NodeDirectory directory;
  private final ActiveSnapshots active;
  private final NodeThreads threads = NodeThreads.start();
  private final RequestServer owner;
  private final List<PartitionAccess> all = new ArrayList<>();
  private volatile Optional<EmbeddedStore> store = Optional.empty();
  private volatile long epoch;

  /** Whether it was said that it can't be written that the cluster is complete. */
  private boolean hasComplained;

  /** To whom partitions were given: nobody else may know of it yet. */
  private final Map<Integer, NodeFacts.Ownership> given = new ConcurrentHashMap<>();

  /** Is told when partitions are opened or closed. */
  private volatile Runnable changed = () -> {};

  private NodePartitions(NodeSettings settings, NodeClock clock, NodeDirectory directory) {
    this.settings = settings;
    this.clock = clock;
    this.directory = directory;
    this.active = EmbeddedStore.claims(settings.store());
    this.owner = new RequestServer(active, threads.reads(), threads.writes());
  }

  /** Locks the directory of a node. */
  public static NodePartitions open(NodeSettings settings, NodeClock clock) {
    return new NodePartitions(
        settings, clock, NodeDirectory.open(settings.data(), settings.name()));
  }

  public NodeThreads threads() {
    return threads;
  }

  public RequestServer owner() {
    return owner;
  }

  /** The store; there once {@link #openAll} has returned. */
  public EmbeddedStore store() {
    return store.orElseThrow();
  }

  /** Tells a driver of this node's what a partition has answered. */
  public void tell(long driver, Message.ToDriver answer) {
    store.ifPresent(there -> there.tell(driver, answer));
  }

  /**
   * The node as it is now, without what it knows of others.
   *
   * @param moves of partitions to it
   * @param isLeaving whether it takes no partitions, because it leaves
   */
  public NodeFacts facts(List<MoveFacts> moves, boolean isLeaving) {
    List<NodeFacts.Ownership> owned = new ArrayList<>();
    given.values().forEach(one -> put(owned, one));
    for (OpenPartition open : owner.all()) {
      int number = open.partition().number();
      put(owned, new NodeFacts.Ownership(number, settings.name(), open.epoch()));
      clock.observe(open.partition().newest().max());
    }
    return new NodeFacts(
        NodeFacts.PROTOCOL,
        settings.name(),
        settings.endpoint().address(),
        clock.now(),
        settings.store().partitions(),
        settings.forming().nodes(),
        directory.plan(),
        owned,
        moves,
        settings.isVisitor(),
        isLeaving);
  }

  /** Adds what is known of a partition, unless something newer is known. */
  private static void put(List<NodeFacts.Ownership> owned, NodeFacts.Ownership newest) {
    boolean unused =
        owned.removeIf(
            one -> one.partition() == newest.partition() && one.epoch() <= newest.epoch());
    if (owned.stream().noneMatch(one -> one.partition() == newest.partition())) {
      owned.add(newest);
    }
  }

  /**
   * Takes note that all partitions of the cluster have been there. If the disk does not let it, it
   * is to be called again, and says so once. Used by one thread.
   */
  public void markFormed() {
    if (isFormed()) {
      return;
    }
    try {
      directory.markFormed();
    } catch (IOException e) {
      if (!hasComplained) {
        LOG.warn(
            "node {} can't write down that its cluster is complete, and tries again: {}",
            settings.name(),
            IoReason.of(e));
      }
      hasComplained = true;
    }
  }

  private boolean isFormed() {
    return directory.plan().map(NodePlan::isFormed).orElse(false);
  }

  /**
   * Makes the partitions that a new node is given, and opens those that the node has.
   *
   * @param elsewhere partitions that the plan gives the node, but others own by now
   */
  public void openAll(
      NodePlan plan,
      List<NodeFacts.Ownership> elsewhere,
      PendingRequests asks,
      MembershipView view) {
    if (directory.plan().isEmpty()) {
      directory.form(plan, elsewhere.stream().map(NodePartitions::movedBefore).toList());
    }
    ClusterPartition.Node node =
        new ClusterPartition.Node(
            owner,
            asks,
            view,
            clock,
            new ClockCatchUp(settings.name(), clock, asks, view),
            settings.store(),
            threads.answers());
    for (int number = 0; number < plan.owners().size(); number++) {
      all.add(new ClusterPartition(number, node));
    }
    epoch = directory.raiseEpoch();
    try {
      for (int number : directory.numbers()) {
        openOne(number, epoch);
      }
      for (int number = 0; number < plan.owners().size(); number++) {
        moved().given(number).ifPresent(this::gave);
      }
    } catch (IOException e) {
      throw new StoreIoException(
          "the partitions in " + settings.data() + " can't be opened: " + IoReason.of(e), e);
    }
    directory.complete();
    store =
        Optional.of(EmbeddedStore.over(NodeDirectory.identity(plan), provider(), settings.store()));
  }

  private static MoveMark movedBefore(NodeFacts.Ownership known) {
    return new MoveMark(0, known.partition(), known.node(), known.epoch());
  }

  /** Opens a partition that is in the directory, at the epoch that it has there. */
  public void openOne(int number, long at) throws IOException {
    PartitionFiles files =
        PartitionFiles.in(
            directory.journal(number),
            directory.checkpoints(number),
            settings.store(),
            directory.lock());
    directory.checkJournal(number, files.journal().segments().size());
    Partition partition =
        files.open(settings.store().withPartitions(all.size()), number, surroundings(at));
    partition.start();
    // It may be ahead: others learn of it together with its epoch, before they ask it.
    clock.observe(partition.now().max());
    owner.add(new OpenPartition(partition, at));
    var unused = given.remove(number);
    changed.run();
  }

  /** Opens a partition again that was closed, to be given away, and was not. */
  public void reopen(int number) throws IOException {
    openOne(number, moved().raise(number));
  }

  private Surroundings surroundings(long at) {
    return new Surroundings(
        at,
        clock.hybrid(),
        active,
        vector ->
            vector.meet(
                clock.oldestElsewhere(
                    settings.store().maxTransactionAge(), settings.store().timeouts().commit())),
        (partition, message) -> all.get(partition).receive(message),
        System::nanoTime);
  }

  /** A partition was given to another node. */
  public void gave(MoveMark mark) {
    var unused =
        given.put(mark.number(), new NodeFacts.Ownership(mark.number(), mark.node(), mark.epoch()));
    changed.run();
  }

  /** From now on somebody is told when partitions are opened. */
  public void onChange(Runnable told) {
    changed = told;
  }

  /** This node's name. */
  public String name() {
    return settings.name();
  }

  /** Which store the partitions are of. */
  public long storeId() {
    return directory.plan().orElseThrow().storeId();
  }

  /** What the directory says of partitions, before the node opens any. */
  public List<PartitionClaim> claims() {
    return directory.claims();
  }

  /** How often the node was opened. */
  public long epoch() {
    return epoch;
  }

  /** The greatest epoch of all that is open here. */
  public long newestEpoch() {
    return owner.all().stream().mapToLong(OpenPartition::epoch).reduce(epoch, Math::max);
  }

  public MovedPartitions moved() {
    return directory.moved();
  }

  public PartitionImage image(int partition) {
    return directory.image(partition);
  }

  private PartitionProvider provider() {
    return new PartitionProvider() {
      @Override
      public List<PartitionAccess> partitions() {
        return List.copyOf(all);
      }

      @Override
      public ActiveSnapshots active() {
        return active;
      }

      @Override
      public long epoch() {
        return epoch;
      }
    };
  }

  @Override
  public void close() {
    try {
      if (store.isPresent()) {
        store.get().close();
      } else {
        owner.all().forEach(open -> open.partition().close());
      }
    } finally {
      threads.close();
      directory.close();
    }
  }
}
