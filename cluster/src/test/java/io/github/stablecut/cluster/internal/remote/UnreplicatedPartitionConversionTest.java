package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PlanChange;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The unreplicated partition of node n1, which keeps the register alone, becomes a replica. */
class UnreplicatedPartitionConversionTest {
  private static final NodePlan ONCE = new NodePlan(7, "n1", List.of("n1"), true);
  private static final PlanChange REGISTER =
      new PlanChange.Register(1_000, List.of("n1"), List.of("n1"));

  @TempDir private Path directory;

  private NodePartitions node;
  private OpenPartition once;

  @BeforeEach
  void open() {
    MembershipView view = new MembershipView();
    StoreOptions options = StoreOptions.defaults();
    node =
        NodePartitions.open(
            Nowhere.settings(directory, options, 1),
            new NodeClock(EmbeddedStore.clock(options), NodeSettings.DEFAULT_CLOCK_DRIFT));
    node.openAll(ONCE, List.of(), Nowhere.requests(view), view);
    once = node.server().find(0).orElseThrow();
  }

  @AfterEach
  void close() {
    node.close();
  }

  private boolean isReplica() {
    return node.replicas().flatMap(all -> all.find(0)).isPresent();
  }

  @Test
  void closesThePartitionBeforeOpeningItAsAReplicaEvenIfANewerPlanFollows() throws Exception {
    NodePlan newer = ONCE.with(List.of(REGISTER, PlanChange.parse("1=n1")));

    Eventually.holds(
        "the node adopts the plan",
        () -> {
          node.update(newer);
          assertThat(isReplica() && node.server().all().contains(once)).isFalse();
          return !newer.isNewerThan(node.plan().orElseThrow());
        });

    assertThat(isReplica()).isTrue();
    Eventually.holds("the replica leads", () -> node.server().find(0).isPresent());
  }

  @Test
  void retriesOpeningAClosedPartitionAsAReplica() throws Exception {
    node.end(once, () -> {});

    node.update(ONCE.with(List.of(REGISTER)));

    Eventually.holds(
        "it is a replica",
        () -> {
          node.tick();
          return isReplica();
        });
  }

  @Test
  void aClosingNodeRecordsNothing() {
    node.closeReplicas();

    node.update(ONCE.with(List.of(REGISTER)));

    assertThat(node.isReplicated()).isFalse();
  }

  @Test
  void movesDoNotResumeWhileTheStateOnDiskIsUnknown() throws Exception {
    List<String> calls = new ArrayList<>();
    node.endMovesBy(
        new Moves() {
          @Override
          public boolean end() {
            calls.add("end");
            return true;
          }

          @Override
          public void goOn() {
            calls.add("go on");
          }
        });
    // Makes writing the plan fail.
    Files.createDirectories(directory.resolve("NODE.new"));

    assertThat(node.decide(ONCE.with(List.of(REGISTER)))).isPresent();

    assertThat(calls).isNotEmpty().containsOnly("end");
  }

  @Test
  void noPartitionIsResetOnceThereAreReplicas() {
    node.update(ONCE.with(List.of(REGISTER)));

    assertThatThrownBy(() -> node.beginAnew(0, 1 << 20))
        .isInstanceOf(PartitionUnavailableException.class);
  }
}
