package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node's directory stays locked as long as the node may still write to it. */
class NodePartitionsCloseTest {
  private static final NodePlan PLAN = new NodePlan(7, "n1", List.of("n1"), false);

  @TempDir private Path directory;

  private final MembershipView view = new MembershipView();
  private final PendingRequests requests = Nowhere.requests(view);

  private NodePartitions open() {
    return NodePartitions.open(
        new NodeSettings(
            "n1",
            directory,
            StoreOptions.defaults(),
            new NodeSettings.Endpoint("127.0.0.1", 1, Optional.empty()),
            new NodeSettings.Formation(List.of(), 1),
            NodeSettings.MoveLimits.DEFAULT),
        new NodeClock(
            EmbeddedStore.clock(StoreOptions.defaults()), NodeSettings.DEFAULT_CLOCK_DRIFT));
  }

  @Test
  void locksTheDirectoryWhileAStepOfAMoveRuns() throws Exception {
    NodePartitions node = open();
    node.openAll(PLAN, List.of(), requests, view);
    CountDownLatch mayEnd = new CountDownLatch(1);
    node.threads().handoffReceive().execute(() -> await(mayEnd));

    CompletableFuture<Void> closed = CompletableFuture.runAsync(node::close);
    Eventually.holds(
        "the node waits for the step", () -> node.threads().handoffReceive().isShutdown());

    assertThatThrownBy(() -> NodeDirectory.open(directory, "n1"))
        .isInstanceOf(StoreInUseException.class);
    assertThat(closed).isNotDone();
    mayEnd.countDown();
    closed.join();
    NodeDirectory.open(directory, "n1").close();
  }

  @Test
  void opensNothingOnClosedNodes() {
    NodePartitions node = open();
    node.openAll(PLAN, List.of(), requests, view);
    node.close();

    assertThatThrownBy(() -> node.reopen(0)).isInstanceOf(StoreClosedException.class);
  }

  @Test
  void aLateOpeningOpensNothing() throws Exception {
    NodePartitions node = open();
    CountDownLatch mayBegin = new CountDownLatch(1);
    CompletableFuture<Void> opened =
        CompletableFuture.runAsync(
            () -> {
              await(mayBegin);
              node.openAll(PLAN, List.of(), requests, view);
            },
            node.threads().opening());

    CompletableFuture<Void> closed = CompletableFuture.runAsync(node::close);
    Eventually.holds("the node waits for it", () -> node.threads().opening().isShutdown());
    mayBegin.countDown();
    closed.join();

    assertThatThrownBy(opened::join).hasCauseInstanceOf(StoreClosedException.class);
    assertThat(node.server().all()).isEmpty();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
