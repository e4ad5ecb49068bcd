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

/** The partition of node n1, which keeps the register alone, existed once and becomes a copy. */
class HandedOverTest {
  private static final NodePlan ONCE = new NodePlan(7, "n1", List.of("n1"), true);
  private static final String REGISTER =
      new PlanChange.Register(1_000, List.of("n1"), List.of("n1")).toText();

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

  private boolean isCopy() {
    return node.replicas().flatMap(all -> all.find(0)).isPresent();
  }

  @Test
  void itIsClosedBeforeItIsOpenedAsACopyAlsoIfANewerPlanComesWithTheFirst() throws Exception {
    NodePlan newer = ONCE.with(List.of(REGISTER, "1=n1"));

    Eventually.holds(
        "it takes note of the plan",
        () -> {
          node.update(newer);
          assertThat(isCopy() && node.server().all().contains(once)).isFalse();
          return !newer.isNewerThan(node.plan().orElseThrow());
        });

    assertThat(isCopy()).isTrue();
    Eventually.holds("the replica leads", () -> node.server().find(0).isPresent());
  }

  @Test
  void whatWasClosedAndNotOpenedAsACopyIsOpenedLater() throws Exception {
    node.end(once, () -> {});

    node.update(ONCE.with(List.of(REGISTER)));

    Eventually.holds(
        "it is a replica",
        () -> {
          node.tick();
          return isCopy();
        });
  }

  @Test
  void aNodeThatEndsNotesNothing() {
    node.closeReplicas();

    node.update(ONCE.with(List.of(REGISTER)));

    assertThat(node.isReplicated()).isFalse();
  }

  @Test
  void movesDoNotGoOnOnceNobodyKnowsWhatIsOnDisk() throws Exception {
    List<String> told = new ArrayList<>();
    node.endMovesBy(
        new Moves() {
          @Override
          public boolean end() {
            told.add("end");
            return true;
          }

          @Override
          public void goOn() {
            told.add("go on");
          }
        });
    // So that the plan can't be written.
    Path unused = Files.createDirectories(directory.resolve("NODE.new"));

    assertThat(node.decide(ONCE.with(List.of(REGISTER)))).isPresent();

    assertThat(told).isNotEmpty().containsOnly("end");
  }

  @Test
  void noneBeginsAnewOnceThereAreCopies() {
    node.update(ONCE.with(List.of(REGISTER)));

    assertThatThrownBy(() -> node.beginAnew(0, 1 << 20))
        .isInstanceOf(PartitionUnavailableException.class);
  }
}
