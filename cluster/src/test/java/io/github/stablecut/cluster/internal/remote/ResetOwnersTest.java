package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.internal.recovery.MoveMark;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Node n1, which has partition 0, records the new owner of partition 1, which was n2's. */
class ResetOwnersTest {
  private static final NodePlan PLAN = new NodePlan(7, "n1", List.of("n1", "n2"), true);
  private static final long AT = ResetOwners.EPOCHS + 3;

  @TempDir private Path path;

  private final List<MoveMark> notified = new ArrayList<>();
  private NodeDirectory directory;
  private ResetOwners resetOwners;

  @BeforeEach
  void open() {
    directory = NodeDirectory.open(path, "n1");
    directory.form(PLAN, List.of());
    resetOwners = new ResetOwners(directory, Runnable::run, notified::add);
  }

  @AfterEach
  void close() {
    directory.close();
  }

  private void report(String node, int partition, String owner, long epoch) {
    resetOwners.heard(node, List.of(new GossipedNodeState.Ownership(partition, owner, epoch)));
  }

  @Test
  void remembersTheOwnerOfAResetPartitionAfterARestart() {
    report("n3", 1, "n3", AT);
    report("n3", 1, "n3", AT);
    report("n3", 1, "n3", AT + 1);
    report("n3", 1, "n3", AT);

    MoveMark newest = new MoveMark(0, 1, "n3", AT + 1);
    assertThat(notified).containsExactly(new MoveMark(0, 1, "n3", AT), newest);
    directory.close();
    directory = NodeDirectory.open(path, "n1");
    assertThat(directory.moveMarks()).containsExactly(newest);
  }

  @Test
  void recordsNothingOfPartitionsThatOnlyMoved() {
    report("n3", 1, "n3", 70);

    assertThat(directory.moveMarks()).isEmpty();
  }

  @Test
  void recordsNothingThatANonOwnerReports() {
    report("n4", 1, "n3", AT);

    assertThat(directory.moveMarks()).isEmpty();
  }

  /** The partition closes soon, and its data can still be inspected. */
  @Test
  void doesNotGiveAwayLocalPartitions() {
    report("n3", 0, "n3", AT);

    assertThat(directory.moveMarks()).isEmpty();
    assertThat(notified).isEmpty();
  }
}
