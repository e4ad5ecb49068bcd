package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PlanChange;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.ConfigurationRegister;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Node n1 prepares replicas of three partitions owned by node n2, which keeps the register. */
class PreparedReplicasTest {
  private static final String REGISTER = "1000@n2/n2/0+0+0";
  private static final long STEP = Duration.ofMillis(300).toNanos();

  @TempDir private Path path;

  private final Register register = new Register();
  private NodeDirectory directory;
  private NodeReplicas replicas;
  private ReplicaPlacement placed;
  private long now;

  /** A register in which unknown partitions have no voters. */
  private static final class Register implements ConfigurationRegister {
    private final Map<Integer, Configuration> configurations = new HashMap<>();
    private boolean isSilent;
    private int reads;

    @Override
    public CompletionStage<Configuration> read(int partition) {
      reads++;
      return isSilent
          ? CompletableFuture.failedFuture(new IOException("injected"))
          : CompletableFuture.completedFuture(
              configurations.getOrDefault(partition, Configuration.first(List.of("n2"))));
    }

    @Override
    public CompletionStage<Boolean> replace(int partition, Configuration next) {
      throw new IllegalStateException("nothing is changed");
    }

    void add(int partition) {
      configurations.put(partition, new Configuration(1_001, "n2", List.of("n2")));
    }
  }

  private static final class NoListener implements NodeReplicas.LeadershipListener {
    @Override
    public PartitionContext context(long epoch) {
      throw new IllegalStateException("nothing is led here");
    }

    @Override
    public void begins(Partition partition, long epoch) {
      throw new IllegalStateException("nothing is led here");
    }

    @Override
    public boolean serves(int partition) {
      return false;
    }

    @Override
    public void ends(Partition partition) {
      throw new IllegalStateException("nothing is led here");
    }

    @Override
    public void drains(int partition, Duration atMost) {
      throw new IllegalStateException("nothing is led here");
    }
  }

  private static NodePlan plan(List<String> nodes, List<String> changes) {
    return NodePlan.builder(7, "n1", List.of("n2", "n2", "n2"))
        .isFormed(true)
        .replicas(List.of(nodes, nodes, nodes))
        .keepers(List.of("n2"))
        .changes(PlanChange.parseAll(changes))
        .build();
  }

  private final NodePlan newer = plan(List.of("n2", "n1", "n3"), List.of(REGISTER, "3=n1+n2+n3"));

  @BeforeEach
  void open() {
    directory = NodeDirectory.open(path, "n1");
    directory.form(plan(List.of("n2"), List.of(REGISTER)), List.of());
    directory.raiseEpoch();
    replicas =
        NodeReplicas.open(
            new NodeReplicas.Node(
                directory.plan().orElseThrow(),
                directory,
                StoreOptions.defaults(),
                Nowhere.requests(new MembershipView()),
                new NoListener()));
    placed = new ReplicaPlacement(directory, replicas, register, () -> now);
  }

  @AfterEach
  void close() {
    replicas.close();
    directory.close();
  }

  /** Advances the time with heartbeats and ticks; returns whether all replicas are prepared. */
  private boolean prepareFor(Duration time) {
    long end = now + time.toNanos();
    boolean isDone = false;
    for (; now < end && !isDone; now += STEP) {
      isDone = placed.prepare(newer);
    }
    return isDone;
  }

  @Test
  void preparesReplicasOfRegisteredPartitions() throws Exception {
    register.add(0);
    register.add(2);

    assertThat(placed.prepare(newer)).isFalse();
    assertThat(directory.numbers()).containsExactly(0, 2);

    register.add(1);
    assertThat(prepareFor(Duration.ofSeconds(2))).isTrue();
    assertThat(directory.numbers()).containsExactly(0, 1, 2);
    assertThat(register.reads).isEqualTo(4);
  }

  @Test
  void pollsTheRegisterRarelyWhileAnOwnerIsUnreachable() {
    register.add(0);
    register.add(2);

    assertThat(prepareFor(Duration.ofHours(1))).isFalse();

    assertThat(register.reads).isLessThan(80);
  }

  @Test
  void readsASilentRegisterRarelyButAtOnceForANewPlanOrCommand() {
    register.isSilent = true;
    assertThat(prepareFor(Duration.ofHours(1))).isFalse();
    int reads = register.reads;
    assertThat(reads).isLessThan(80);

    placed.retry();
    assertThat(placed.prepare(newer)).isFalse();
    assertThat(register.reads).isEqualTo(reads + 1);
    assertThat(placed.prepare(plan(newer.replicas().get(0), List.of(REGISTER, "1=n1")))).isFalse();
    assertThat(register.reads).isEqualTo(reads + 2);
  }

  @Test
  void aReplicaWhoseNameVotesDoesNotBlockOthers() throws Exception {
    register.add(0);
    assertThat(placed.prepare(newer)).isFalse();
    List<String> voters = List.of("n2", replicas.self());
    register.configurations.put(1, new Configuration(1_001, "n2", voters));
    register.add(2);

    assertThat(prepareFor(Duration.ofSeconds(10))).isFalse();

    assertThat(directory.numbers()).containsExactly(0, 2);
  }
}
