package io.github.stablecut.cluster.internal.ring;

import io.github.stablecut.StoreIoException;
import io.github.stablecut.internal.partition.Message;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.internal.transaction.PartitionFiles;
import io.github.stablecut.internal.transaction.Ring;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A node's directory, the partitions in it, and the store over all partitions. Thread-safe. */
final class LocalPartitions implements AutoCloseable {
  private final RingSettings settings;
  private final NodeClock clock;
  private final NodeDirectory directory;
  private final ActiveSnapshots active;
  private final RingThreads threads = RingThreads.start();
  private final Owner owner;
  private volatile Optional<EmbeddedStore> store = Optional.empty();

  private LocalPartitions(RingSettings settings, NodeClock clock, NodeDirectory directory) {
    this.settings = settings;
    this.clock = clock;
    this.directory = directory;
    this.active = EmbeddedStore.claims(settings.store());
    this.owner = new Owner(active, threads.reads(), threads.writes());
  }

  /** Locks the directory of a node. */
  static LocalPartitions open(RingSettings settings, NodeClock clock) {
    return new LocalPartitions(settings, clock, NodeDirectory.open(settings.data()));
  }

  RingThreads threads() {
    return threads;
  }

  Owner owner() {
    return owner;
  }

  /** The store; there once {@link #openAll} has returned. */
  EmbeddedStore store() {
    return store.orElseThrow();
  }

  /** Tells a driver of this node's what a partition has answered. */
  void tell(long driver, Message.ToDriver answer) {
    store.ifPresent(there -> there.tell(driver, answer));
  }

  /**
   * The node as it is now.
   *
   * @param known what it knows of other partitions
   */
  NodeFacts facts(List<NodeFacts.Ownership> known) {
    List<NodeFacts.Ownership> owned = new ArrayList<>(known);
    for (Owner.Open open : owner.all()) {
      int number = open.partition().number();
      owned.removeIf(one -> one.partition() == number && one.epoch() <= open.epoch());
      owned.add(new NodeFacts.Ownership(number, settings.name(), open.epoch()));
      clock.observe(open.partition().newest().max());
    }
    return new NodeFacts(
        NodeFacts.PROTOCOL,
        settings.name(),
        settings.endpoint().address(),
        clock.now(),
        settings.store().partitions(),
        directory.plan(),
        owned);
  }

  void markFormed() {
    if (!directory.plan().map(NodePlan::isFormed).orElse(false)) {
      directory.markFormed();
    }
  }

  /** Makes the partitions that a new node is given, and opens those that the node has. */
  void openAll(NodePlan plan, Asks asks, RingView view) {
    if (directory.plan().isEmpty()) {
      directory.form(plan);
    }
    List<PartitionAccess> all = new ArrayList<>();
    RingPartition.Node node =
        new RingPartition.Node(owner, asks, view, clock, settings.store(), threads.answers());
    for (int number = 0; number < plan.owners().size(); number++) {
      all.add(new RingPartition(number, node));
    }
    long epoch = directory.raiseEpoch();
    try {
      Partition.Surroundings surroundings =
          new Partition.Surroundings(
              epoch,
              active,
              vector ->
                  vector.meet(
                      clock.oldestElsewhere(
                          settings.store().maxTransactionAge(),
                          settings.store().timeouts().commit())),
              (partition, message) -> all.get(partition).receive(message),
              System::nanoTime);
      for (int number : directory.numbers()) {
        Partition partition = openOne(number, surroundings);
        partition.start();
        // It may be ahead: others learn of it together with its epoch, before they ask it.
        clock.observe(partition.now().max());
        owner.add(new Owner.Open(partition, epoch));
      }
    } catch (IOException e) {
      throw new StoreIoException(
          "the partitions in " + settings.data() + " can't be opened: " + e, e);
    }
    directory.complete();
    store =
        Optional.of(
            EmbeddedStore.over(NodeDirectory.identity(plan), ring(all, epoch), settings.store()));
  }

  private Partition openOne(int number, Partition.Surroundings surroundings) throws IOException {
    PartitionFiles files =
        PartitionFiles.in(
            directory.journal(number), directory.checkpoints(number), settings.store());
    directory.checkJournal(number, files.journal().segments().size());
    return files.open(settings.store(), number, surroundings);
  }

  private Ring ring(List<PartitionAccess> all, long epoch) {
    return new Ring() {
      @Override
      public List<PartitionAccess> partitions() {
        return List.copyOf(all);
      }

      @Override
      public ActiveSnapshots active() {
        return active;
      }

      @Override
      public void committed(long time) {
        clock.observe(time);
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
