package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.Timeouts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commits and reads of a partition on another node. */
class RemotePartitionTest {
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withTimeouts(Timeouts.defaults().withCommit(Duration.ofMillis(1)));

  @TempDir private Path directory;

  /** The executor's threads may themselves wait for memory that this outcome releases. */
  @Test
  void recordsTheOutcomeAlthoughTheApplicationsExecutorIsBlocked() throws Exception {
    NodeClock clock = new NodeClock(EmbeddedStore.clock(OPTIONS), NodeSettings.DEFAULT_CLOCK_DRIFT);
    MembershipView view = new MembershipView();
    PendingRequests requests = Nowhere.requests(view);
    try (NodePartitions node =
        NodePartitions.open(Nowhere.settings(directory.resolve("node"), OPTIONS, 1), clock)) {
      RemotePartition remote =
          new RemotePartition(0, Nowhere.node(node.server(), requests, view, clock, OPTIONS));
      AtomicBoolean isSettled = new AtomicBoolean();
      CommitRequest request =
          CommitRequest.of(
              new CommitRequest.Part(0, VectorClock.ZERO, VectorClock.ZERO, List.of(), Set.of()),
              TransactionMetadata.of(Optional.empty()));
      request.whenSettled(() -> isSettled.set(true));

      CompletionStage<VectorClock> commit = remote.commitAsync(request, task -> {});

      Eventually.holds(
          "the outcome is known",
          () -> {
            requests.tick();
            return isSettled.get();
          });
      assertThat(commit.toCompletableFuture()).isCompletedExceptionally();
    }
  }

  /** With replicas, another one may lead soon, and the driver repeats its messages until then. */
  @Test
  void refusesATransactionWithoutAnOwnerOnlyIfNoReplicaCanTakeOver() throws Exception {
    NodeClock clock = new NodeClock(EmbeddedStore.clock(OPTIONS), NodeSettings.DEFAULT_CLOCK_DRIFT);
    MembershipView view = new MembershipView();
    PendingRequests requests = Nowhere.requests(view);
    try (NodePartitions node =
        NodePartitions.open(Nowhere.settings(directory.resolve("node"), OPTIONS, 1), clock)) {
      RemotePartition remote =
          new RemotePartition(0, Nowhere.node(node.server(), requests, view, clock, OPTIONS));
      Queue<Message.ToDriver> waiting = new ConcurrentLinkedQueue<>();
      Queue<Message.ToDriver> refused = new ConcurrentLinkedQueue<>();

      view.recordPlan(true);
      remote.receive(new Message.Open(driver(waiting), 1, Optional.empty()));
      view.recordPlan(false);
      remote.receive(new Message.Open(driver(refused), 2, Optional.empty()));

      Eventually.holds("the driver is refused", () -> !refused.isEmpty());
      assertThat(((Message.Refused) refused.remove()).reason())
          .isInstanceOf(PartitionUnavailableException.class);
      assertThat(waiting).isEmpty();
    }
  }

  private static Message.Driver driver(Queue<Message.ToDriver> answers) {
    return new Message.Driver() {
      @Override
      public long number() {
        return 1;
      }

      @Override
      public void tell(Message.ToDriver answer) {
        answers.add(answer);
      }
    };
  }

  /** The owner may be this node, which has stopped leading, until another node leads. */
  @Test
  void answersLocallyAReadThatNoLeaderAnswers() {
    NodeClock clock = new NodeClock(EmbeddedStore.clock(OPTIONS), NodeSettings.DEFAULT_CLOCK_DRIFT);
    MembershipView view = new MembershipView();
    view.recordPlan(true);
    PendingRequests requests = Nowhere.requests(view);
    try (NodePartitions node =
        NodePartitions.open(Nowhere.settings(directory.resolve("node"), OPTIONS, 1), clock)) {
      RemotePartition remote =
          new RemotePartition(0, Nowhere.node(node.server(), requests, view, clock, OPTIONS));
      AtomicInteger looks = new AtomicInteger();

      Optional<Version> read =
          remote.versionAt(
              Bytes.utf8("k"),
              Footprint.whole(),
              VectorClock.ZERO,
              () -> looks.incrementAndGet() < 3 ? Optional.empty() : Optional.of(Optional.empty()));

      assertThat(read).isEmpty();
      assertThat(looks).hasValue(3);
    }
  }
}
