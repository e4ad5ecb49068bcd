package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.recovery.MoveMark;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PlanChange;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plan of a node with replicas changes. */
class LocalReplicasTest {
  private static final StoreOptions OPTIONS = StoreOptions.defaults();

  @TempDir private Path path;

  private static final class NoService implements LocalReplicas.PartitionService {
    @Override
    public PartitionContext context(long epoch) {
      throw new IllegalStateException("nothing is led here");
    }

    @Override
    public void serve(Partition partition, long epoch) {
      throw new IllegalStateException("nothing is led here");
    }

    @Override
    public void changed() {
      // No listener.
    }

    @Override
    public boolean endMoves() {
      return true;
    }

    @Override
    public void open(Runnable opening) {
      opening.run();
    }

    @Override
    public void end(OpenPartition served) {
      throw new IllegalStateException("nothing is served here");
    }
  }

  /** A plan in which node n1 keeps the register alone, and another node may have the replica. */
  private static NodePlan plan(String owner, List<String> changes) {
    return plan(owner, "n1", changes);
  }

  private static NodePlan plan(String owner, String keeper, List<String> changes) {
    return NodePlan.builder(7, "n1", List.of(owner))
        .isFormed(true)
        .replicas(List.of(List.of(owner)))
        .keepers(List.of(keeper))
        .changes(PlanChange.parseAll(changes))
        .build();
  }

  private static RequestServer server() {
    return TestOwner.server(OPTIONS, EmbeddedStore.activeSnapshots(OPTIONS));
  }

  /** The replicas of a directory, on a node that knows no other node. */
  private LocalReplicas replicasOf(NodeDirectory directory) {
    LocalReplicas here =
        new LocalReplicas(Nowhere.settings(path, OPTIONS, 1), directory, server(), new NoService());
    MembershipView view = new MembershipView();
    here.connect(Nowhere.requests(view), view);
    return here;
  }

  @Test
  void doesNotDeleteAReplicaThatTheNewPlanReturnsBeforeThePlanIsWritten() throws Exception {
    NodePlan before = plan("n2", List.of("1=n1+n2"));
    NodePlan newer = plan("n1", List.of("1=n1+n2", "1=n1+n2"));
    try (NodeDirectory directory = NodeDirectory.open(path, "n1")) {
      directory.form(plan("n1", List.of()), List.of());
      directory.update(before);
      directory.raiseEpoch();
      LocalReplicas here = replicasOf(directory);
      // A register without others begins with this plan.
      here.open(plan("n2", List.of()));
      NodeReplicas replicas = here.all().orElseThrow();
      try {
        Eventually.holds("another node leads", () -> leads(replicas, "n2"));
        assertThat(replicas.surplus()).containsExactly(0);
        Thread looks = new Thread(() -> here.tick(Runnable::run), "looks");

        boolean isChanged =
            here.change(
                newer,
                () -> {
                  looks.start();
                  awaitBlockedOrEnded(looks, here);
                  return isWritten(directory, newer);
                });

        looks.join();
        assertThat(isChanged).isTrue();
        assertThat(directory.numbers()).containsExactly(0);
        assertThat(replicas.surplus()).isEmpty();
      } finally {
        replicas.close();
      }
    }
  }

  @Test
  void retriesPlacementUntilTheRegisterOpens() throws Exception {
    NodePlan before = plan("n2", "n2", List.of());
    NodePlan newer = plan("n2", "n1", List.of("1=n1+n2"));
    try (NodeDirectory directory = NodeDirectory.open(path, "n1")) {
      directory.form(before, List.of());
      directory.raiseEpoch();
      LocalReplicas here = replicasOf(directory);
      here.open(before);
      try {
        Path part = directory.register().path().resolve(new UUID(7, 0).toString());
        boolean isChanged =
            here.change(
                newer,
                () -> {
                  create(part);
                  return isWritten(directory, newer);
                });
        assertThat(isChanged).isTrue();
        assertThat(here.all().orElseThrow().register().isOpen()).isFalse();

        Files.delete(part);

        Eventually.holds(
            "it is opened",
            () -> {
              here.tick(Runnable::run);
              return here.all().orElseThrow().register().isOpen();
            });
      } finally {
        here.all().orElseThrow().close();
      }
    }
  }

  @Test
  void movesResumeIfAVoteCouldNotBeWritten() throws Exception {
    NodePlan once = new NodePlan(7, "n1", List.of("n1"), true);
    NodePlan initial =
        once.withRegister(new PlanChange.Register(1_000, List.of("n1"), List.of("n1")));
    try (NodeDirectory directory = NodeDirectory.open(path, "n1")) {
      directory.form(once, List.of());
      directory.raiseEpoch();
      ReplicaConversion beginning = new ReplicaConversion(directory, server(), new NoService());
      Path inTheWay = Files.createDirectories(path.resolve("p0").resolve("PROMISE.new"));
      Path full = Files.createFile(inTheWay.resolve("full"));

      assertThat(beginning.begin(initial)).isFalse();
      assertThat(beginning.mayHaveBegun()).isFalse();
      assertThat(directory.plan().orElseThrow().isReplicated()).isFalse();

      Files.delete(full);
      Files.delete(inTheWay);
      assertThat(beginning.begin(initial)).isTrue();
    }
  }

  /** Creates a file that obstructs another one. */
  private static void create(Path file) {
    try {
      Files.createFile(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void leftoversOfAMoveAreNotTakenForAResetPartition() throws Exception {
    NodePlan own = plan("n2", List.of("1000@n1/n2/0"));
    try (NodeDirectory directory = NodeDirectory.open(path, "n1")) {
      directory.form(plan("n2", List.of()), List.of());
      directory.update(own);
      directory.raiseEpoch();
      LocalReplicas here = replicasOf(directory);
      here.open(own);
      directory.createFirst(0, 5, 0);
      directory.moved().give(new MoveMark(1, 0, "n2", 7));
      Path left = Files.createFile(path.resolve("p0").resolve("left"));
      try {
        here.beginAnew(0, 900);

        assertThat(left).doesNotExist();
        assertThat(directory.epochOf(0)).isEqualTo(900);
        assertThat(directory.moved().findMark(0)).isEmpty();
        assertThat(here.all().orElseThrow().firstReplicas()).isEqualTo(Map.of(0, 900L));
      } finally {
        here.all().orElseThrow().close();
      }
    }
  }

  private static boolean leads(NodeReplicas replicas, String node) {
    try {
      return replicas
          .register()
          .replace(0, new Configuration(1, node, List.of(node)))
          .toCompletableFuture()
          .join();
    } catch (CompletionException e) {
      // The register has no leader yet.
      return false;
    }
  }

  /** Waits until a thread has ended, or blocks on the monitor of an object. */
  private static void awaitBlockedOrEnded(Thread thread, Object monitor) {
    try {
      Eventually.holds("it waits, or has ended", () -> !thread.isAlive() || waits(thread, monitor));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean waits(Thread thread, Object monitor) {
    ThreadInfo now = ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId());
    return now != null
        && now.getThreadState() == Thread.State.BLOCKED
        && now.getLockInfo().getIdentityHashCode() == System.identityHashCode(monitor);
  }

  private static boolean isWritten(NodeDirectory directory, NodePlan newer) {
    try {
      directory.update(newer);
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
