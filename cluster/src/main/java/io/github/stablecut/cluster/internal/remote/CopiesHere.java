package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.Surroundings;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import java.util.Optional;

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

  private final NodeSettings settings;
  private final NodeDirectory directory;
  private final RequestServer server;
  private final Serving serving;
  private volatile Optional<NodeCopies> open = Optional.empty();

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

  /** Opens them. They take part at once. */
  void open(NodePlan plan, PendingRequests requests) {
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
