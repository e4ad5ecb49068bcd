package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.replicated.PartitionReplica;
import io.github.stablecut.internal.partition.replicated.ReplicaContext;
import io.github.stablecut.internal.partition.replicated.VoteStorage;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.ConfigurationRegister;
import io.github.stablecut.internal.replica.LogEnd;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.internal.transaction.routing.PartitionFiles;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.journal.segment.LogSpace;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A leader that was deposed without noticing does not answer reads of the latest state. */
class DeposedLeaderReadsTest {
  private static final List<String> NODES = List.of("n1", "n2", "n3");
  private static final StoreOptions OPTIONS = StoreOptions.defaults().withPartitions(1);

  @TempDir private Path directory;

  private final MembershipView view = new MembershipView();
  private final PendingRequests requests = Nowhere.requests(view);
  private final NodeClock clock =
      new NodeClock(EmbeddedStore.clock(OPTIONS), NodeSettings.DEFAULT_CLOCK_DRIFT);

  /** Whether node n2 leads, which n1 has not noticed. */
  private volatile boolean isDeposed;

  /** Whether n2 takes over when the next records are sent to it. */
  private volatile boolean isDeposedByRecords;

  private volatile @Nullable PartitionReplica replica;

  /** The context of n1's replica, with the replies of n2. */
  private final class TestContext implements ReplicaContext {
    @Override
    public Directory incoming() {
      throw new IllegalStateException("nothing is dropped");
    }

    @Override
    public void leave(String node) {}

    @Override
    public void dropIncoming() {}

    @Override
    public void install(long first, long epoch) {
      throw new IllegalStateException("nothing is dropped");
    }

    private final NodeDirectory files;
    private final RequestServer server;

    TestContext(NodeDirectory files, RequestServer server) {
      this.files = files;
      this.server = server;
    }

    private PartitionFiles opened() {
      try {
        return PartitionFiles.in(files.journal(0), files.checkpoints(0), OPTIONS, files.lock());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public SegmentStore journal() {
      return opened().journal();
    }

    @Override
    public Directory checkpoints() {
      return opened().checkpoints();
    }

    @Override
    public void send(String to, ReplicaMessage message) {
      PartitionReplica target = replica;
      if (target == null || !to.equals("n2")) {
        return;
      }
      if (isDeposedByRecords
          && message instanceof ReplicaMessage.Group group
          && !group.records().isEmpty()) {
        isDeposed = true;
      }
      if (isDeposed) {
        target.receive(to, new ReplicaMessage.StaleEpoch(message.epoch() + 1));
      } else if (message instanceof ReplicaMessage.PreVoteRequest request) {
        target.receive(
            to,
            new ReplicaMessage.PreVote(request.epoch(), request.round(), true, new LogEnd(0, 1)));
      } else if (message instanceof ReplicaMessage.VoteRequest request) {
        target.receive(to, new ReplicaMessage.Vote(request.epoch(), new LogEnd(0, 1)));
      } else if (message instanceof ReplicaMessage.Group group) {
        target.receive(
            to,
            new ReplicaMessage.Acknowledged(
                group.epoch(), group.first() + group.records().size(), true, LogSpace.ENOUGH));
      } else if (message instanceof ReplicaMessage.ReadIndexRequest request) {
        target.receive(to, new ReplicaMessage.ReadIndexConfirmed(request.epoch(), request.round()));
      }
    }

    @Override
    public PartitionContext context(long epoch) {
      return PartitionContext.builder(
              epoch,
              clock.hybrid(),
              new ActiveSnapshots(System::nanoTime, OPTIONS.maxTransactionAge().toNanos()),
              (to, message) -> {})
          .build();
    }

    @Override
    public void leads(Partition partition, long epoch) {
      server.add(new OpenPartition(partition, epoch));
    }

    @Override
    public void follows(Partition led) {
      server
          .find(0)
          .ifPresent(
              open -> {
                open.fence();
                server.remove(open);
              });
    }
  }

  private static final class Register implements ConfigurationRegister {
    @Override
    public CompletionStage<Configuration> read(int partition) {
      return CompletableFuture.completedFuture(Configuration.first(NODES));
    }

    @Override
    public CompletionStage<Boolean> replace(int partition, Configuration next) {
      return CompletableFuture.completedFuture(next.epoch() == 1);
    }
  }

  private static final class InMemoryVotes implements VoteStorage {
    @Override
    public long read() {
      return 0;
    }

    @Override
    public long shortened() {
      return 0;
    }

    @Override
    public void write(long epoch, long shortened) {}
  }

  /** Accesses the partition while this node's replica leads, and after it was deposed. */
  private interface Access {
    void run(PartitionAccess access) throws Exception;
  }

  private void lead(Access use) throws Exception {
    try (NodePartitions node =
            NodePartitions.open(Nowhere.settings(directory.resolve("node"), OPTIONS, 3), clock);
        NodeDirectory files = NodeDirectory.open(directory.resolve("copy"), "n1")) {
      files.form(NodePlan.spread(7, "n1", NODES, 1, 3), List.of());
      RequestServer server = node.server();
      PartitionAccess access =
          new ClusterPartition(
              0,
              Nowhere.node(
                  server, requests, view, clock, OPTIONS, number -> Optional.ofNullable(replica)));
      try (PartitionReplica opened =
          PartitionReplica.start(
              "n1",
              Configuration.first(NODES),
              PartitionFiles.options(OPTIONS, LocalDataCentre.FIRST, 0),
              new InMemoryVotes(),
              new Register(),
              new TestContext(files, server))) {
        replica = opened;
        Eventually.holds("it leads", () -> access.local().isPresent());
        use.run(access);
      }
    }
  }

  @Test
  void onlyACurrentLeaderReadsTheLatestState() throws Exception {
    lead(
        access -> {
          assertThat(access.acknowledged()).isNotNull();

          isDeposed = true;

          assertThatThrownBy(access::acknowledged).isInstanceOf(StablecutException.class);
        });
  }

  private static CommitRequest increment(VectorClock snapshot) {
    return CommitRequest.of(
        TestParts.part(Key.counter("b", "k").increment(1), snapshot), TransactionMetadata.none());
  }

  /** The next leader may have the commit. */
  @Test
  void theOutcomeOfACommitIsUnknownIfItsLeaderIsDeposed() throws Exception {
    lead(
        access -> {
          VectorClock snapshot = access.commit(increment(access.acknowledged()));

          isDeposedByRecords = true;

          assertThatThrownBy(() -> access.commit(increment(snapshot)))
              .isInstanceOf(OutcomeUnknownException.class)
              .hasMessageContaining("read to find out");
        });
  }
}
