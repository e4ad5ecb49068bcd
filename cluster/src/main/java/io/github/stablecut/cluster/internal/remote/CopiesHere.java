package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.cluster.internal.membership.Admission;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.Surroundings;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** The copies of partitions on this node, which are served while they lead. Thread-safe. */
final class CopiesHere {
  /** Serves what is led here. */
  interface Serving {
    /** What a partition needs in an epoch. */
    Surroundings surroundings(long epoch);

    /** Serves a partition in an epoch. */
    void serve(Partition partition, long epoch);

    /** It is known what is served here. */
    void changed();
  }

  /** So often it is looked whether a copy, or a part of the register, is too many. */
  private static final long LOOK_NANOS = 3_000_000_000L;

  private final NodeSettings settings;
  private final NodeDirectory directory;
  private final RequestServer server;
  private final Serving serving;
  private volatile Optional<NodeCopies> open = Optional.empty();

  /** Confined to the node's actor. */
  private long lookedAt = System.nanoTime() - LOOK_NANOS;

  CopiesHere(
      NodeSettings settings, NodeDirectory directory, RequestServer server, Serving serving) {
    this.settings = settings;
    this.directory = directory;
    this.server = server;
    this.serving = serving;
  }

  /** The copies; empty if each partition exists once, or before they are open. */
  Optional<NodeCopies> all() {
    return open;
  }

  /**
   * The plan on which the nodes have agreed, as far as this node's part of the register knows, if
   * it is newer than that of the directory: who gave the order may have told nobody.
   */
  Optional<NodePlan> agreed() {
    return directory
        .plan()
        .flatMap(
            own ->
                open.map(all -> own.with(all.register().known()))
                    .filter(newest -> newest.isNewerThan(own)));
  }

  /**
   * Time has passed. Never waits.
   *
   * @param files executes what changes the directory
   */
  void tick(Executor files) {
    long now = System.nanoTime();
    if (open.isEmpty() || now - lookedAt < LOOK_NANOS) {
      return;
    }
    lookedAt = now;
    NodeCopies all = open.get();
    try {
      files.execute(() -> look(all));
    } catch (RejectedExecutionException e) {
      // The node is being closed: the next start looks again.
      return;
    }
  }

  private synchronized void look(NodeCopies all) {
    all.register().look();
    if (!all.surplus().isEmpty()) {
      new PlacedCopies(directory, all).removeSurplus();
    }
  }

  /**
   * Makes the directories of the copies that a newer plan gives this node. Waits for the register.
   *
   * @return whether all are there; if not, the caller calls again
   */
  synchronized boolean prepare(NodePlan newer) {
    return open.map(all -> new PlacedCopies(directory, all).prepare(newer))
        .orElse(!newer.hasCopies());
  }

  /** Copies are placed as the plan in the directory says, which is a newer one. */
  synchronized void place() throws IOException {
    if (open.isPresent()) {
      open.get().place(directory.plan().orElseThrow());
    }
  }

  /**
   * Opens them. They take part at once.
   *
   * @throws JoinRefusedException if another node has taken this one's place
   */
  void open(NodePlan plan, PendingRequests requests) throws IOException {
    if (plan.gone().contains(settings.name()) && !directory.numbers().isEmpty()) {
      throw new JoinRefusedException(Admission.replaced(settings.name()));
    }
    if (settings.store().replication().isPresent()) {
      throw new SettingsException(
          "the cluster has %d copies of each partition, and can't be a data centre among others yet: start the node without replication.listen"
              .formatted(plan.copies().get(0).size()));
    }
    open =
        Optional.of(
            NodeCopies.open(
                new NodeCopies.Node(plan, directory, settings.store(), requests, new Leading())));
  }

  private final class Leading implements NodeCopies.Leading {
    @Override
    public Surroundings surroundings(long epoch) {
      return serving.surroundings(epoch);
    }

    @Override
    public void begins(Partition partition, long epoch) {
      serving.serve(partition, epoch);
      serving.changed();
    }

    @Override
    public void ends(int partition) {
      server
          .find(partition)
          .ifPresent(
              served -> {
                served.fence();
                server.remove(served);
              });
      serving.changed();
    }
  }
}
