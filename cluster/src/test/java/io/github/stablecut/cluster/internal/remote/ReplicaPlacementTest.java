package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PlanChange;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.ConfigurationRegister;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Node n1, which keeps the register alone, has a replica that the newest plan assigns to n2. */
class ReplicaPlacementTest {
  @TempDir private Path path;

  private NodeDirectory directory;
  private NodeReplicas replicas;

  private static final class NoListener implements NodeReplicas.LeadershipListener {
    @Override
    public PartitionContext context(long epoch) {
      throw new IllegalStateException("n1 leads nothing");
    }

    @Override
    public void begins(Partition partition, long epoch) {
      throw new IllegalStateException("n1 leads nothing");
    }

    @Override
    public boolean serves(int partition) {
      return false;
    }

    @Override
    public void ends(Partition partition) {
      // Nothing was led.
    }

    @Override
    public void drains(int partition, Duration atMost) {
      throw new IllegalStateException("n1 leads nothing");
    }
  }

  private static final class CountingRegister implements ConfigurationRegister {
    private final ConfigurationRegister register;
    private boolean isSilent;
    private int reads;

    CountingRegister(ConfigurationRegister register) {
      this.register = register;
    }

    @Override
    public CompletionStage<Configuration> read(int partition) {
      reads++;
      return isSilent
          ? CompletableFuture.failedFuture(new IOException("injected"))
          : register.read(partition);
    }

    @Override
    public CompletionStage<Boolean> replace(int partition, Configuration next) {
      return register.replace(partition, next);
    }
  }

  private static NodePlan plan(String owner, List<String> changes) {
    return NodePlan.builder(7, "n1", List.of(owner))
        .isFormed(true)
        .replicas(List.of(List.of(owner)))
        .keepers(List.of("n1"))
        .changes(PlanChange.parseAll(changes))
        .build();
  }

  @BeforeEach
  void open() throws Exception {
    directory = NodeDirectory.open(path, "n1");
    directory.form(plan("n1", List.of()), List.of());
    directory.update(plan("n2", List.of("1=n1+n2")));
    directory.raiseEpoch();
    replicas =
        NodeReplicas.open(
            new NodeReplicas.Node(
                // A register without others begins with this plan.
                plan("n2", List.of()),
                directory,
                StoreOptions.defaults(),
                Nowhere.requests(new MembershipView()),
                new NoListener()));
    Eventually.holds("the register answers", () -> configuration().epoch() == 0);
    assertThat(replace(new Configuration(1, "n2", List.of("n2")))).isTrue();
  }

  @AfterEach
  void close() {
    replicas.close();
    directory.close();
  }

  private Configuration configuration() {
    try {
      return replicas
          .register()
          .read(0)
          .toCompletableFuture()
          .orTimeout(30, TimeUnit.SECONDS)
          .join();
    } catch (CompletionException e) {
      return new Configuration(99, "n9", List.of("n9"));
    }
  }

  private boolean replace(Configuration next) {
    return replicas
        .register()
        .replace(0, next)
        .toCompletableFuture()
        .orTimeout(30, TimeUnit.SECONDS)
        .join();
  }

  @Test
  void aStaleRequestOfALeaderDoesNotMakeADeletedReplicaAVoter() throws Exception {
    Configuration requested = new Configuration(2, "n2", List.of("n2", "n1"));

    new ReplicaPlacement(directory, replicas).removeSurplus();

    assertThat(directory.numbers()).isEmpty();
    assertThat(replicas.surplus()).isEmpty();
    assertThat(replace(requested)).isFalse();
    assertThat(configuration()).isEqualTo(new Configuration(2, "n2", List.of("n2")));
  }

  /** Each read is an entry of the register's log. */
  @Test
  void doesNotReadTheRegisterForAReplicaKnownToVote() throws Exception {
    assertThat(replace(new Configuration(2, "n2", List.of("n2", "n1")))).isTrue();
    CountingRegister counted = new CountingRegister(replicas.register());
    ReplicaPlacement placed = new ReplicaPlacement(directory, replicas, counted, System::nanoTime);
    for (int i = 0; i < 10; i++) {
      placed.removeSurplus();
    }
    assertThat(counted.reads).isZero();

    assertThat(replace(new Configuration(3, "n2", List.of("n2")))).isTrue();
    placed.removeSurplus();

    assertThat(directory.numbers()).isEmpty();
    assertThat(counted.reads).isOne();
  }

  @Test
  void retriesAtOnceWhenTheRegisterAnswersAgain() throws Exception {
    CountingRegister counted = new CountingRegister(replicas.register());
    counted.isSilent = true;
    ReplicaPlacement placed = new ReplicaPlacement(directory, replicas, counted, () -> 0);
    placed.removeSurplus();
    placed.removeSurplus();
    assertThat(counted.reads).isOne();
    counted.isSilent = false;

    replicas.register().reconcileKeepers();
    Eventually.holds("the register answers again", () -> replicas.register().recoveries() > 0);
    placed.removeSurplus();

    assertThat(directory.numbers()).isEmpty();
  }

  /** Blocks the replica's thread as a disk that hangs does. */
  private void hang(CountDownLatch mayResume) throws Exception {
    CountDownLatch hangs = new CountDownLatch(1);
    replicas
        .find(0)
        .orElseThrow()
        .receive(
            "n2",
            new ReplicaMessage.StaleEpoch(1),
            () -> {
              hangs.countDown();
              try {
                mayResume.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    assertThat(hangs.await(1, TimeUnit.MINUTES)).isTrue();
  }

  @Test
  void aHungReplicaBlocksNothingElseAndIsDeletedOnceItResumes() throws Exception {
    ReplicaPlacement placed = new ReplicaPlacement(directory, replicas);
    CountDownLatch mayResume = new CountDownLatch(1);
    hang(mayResume);
    try {
      placed.removeSurplus();
      Eventually.holds(
          "it reports it", () -> replicas.places().get(0).failure().contains("disk hangs"));
      placed.removeSurplus();
      assertThat(directory.numbers()).containsExactly(0);
      assertThat(replicas.closed()).isEmpty();
    } finally {
      mayResume.countDown();
    }

    Eventually.holds(
        "it is deleted",
        () -> {
          placed.removeSurplus();
          return directory.numbers().isEmpty();
        });
    assertThat(replicas.surplus()).isEmpty();
  }

  @Test
  void reopensAHungReplicaThatThePlanReturns() throws Exception {
    ReplicaPlacement placed = new ReplicaPlacement(directory, replicas);
    CountDownLatch mayResume = new CountDownLatch(1);
    hang(mayResume);
    try {
      placed.removeSurplus();
      replicas.place(plan("n1", List.of()));
      assertThat(replicas.surplus()).containsExactly(0);
    } finally {
      mayResume.countDown();
    }

    Eventually.holds(
        "it is open again",
        () -> {
          placed.removeSurplus();
          return replicas.surplus().isEmpty();
        });
    assertThat(replicas.isClosing(0)).isFalse();
    Eventually.holds("it serves again", () -> replicas.places().get(0).failure().isEmpty());
    assertThat(directory.numbers()).containsExactly(0);
  }

  @Test
  void handsOverPartitionsThatCannotBeDrained() {
    assertThatNoException().isThrownBy(replicas::handOver);
  }

  @Test
  void reopensAReplicaThatBecameAVoterMeanwhile() throws Exception {
    Configuration before = configuration();
    assertThat(replace(new Configuration(2, "n2", List.of("n2", "n1")))).isTrue();
    ReplicaPlacement placed = new ReplicaPlacement(directory, replicas);

    placed.remove(0, before);
    placed.removeSurplus();

    assertThat(directory.numbers()).containsExactly(0);
    assertThat(replicas.surplus()).containsExactly(0);
  }
}
