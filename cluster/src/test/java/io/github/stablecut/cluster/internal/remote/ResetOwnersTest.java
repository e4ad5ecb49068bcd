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

/** Node n1, which has partition 0, hears who has partition 1, which was n2's. */
class ResetOwnersTest {
  private static final NodePlan PLAN = new NodePlan(7, "n1", List.of("n1", "n2"), true);
  private static final long AT = ResetOwners.EPOCHS + 3;

  @TempDir private Path path;

  private final List<MoveMark> told = new ArrayList<>();
  private NodeDirectory directory;
  private ResetOwners begun;

  @BeforeEach
  void open() {
    directory = NodeDirectory.open(path, "n1");
    directory.form(PLAN, List.of());
    begun = new ResetOwners(directory, Runnable::run, told::add);
  }

  @AfterEach
  void close() {
    directory.close();
  }

  private void heard(String node, int partition, String owner, long epoch) {
    begun.heard(node, List.of(new GossipedNodeState.Ownership(partition, owner, epoch)));
  }

  @Test
  void whoHasWhatBeganAnewIsKnownAfterARestart() {
    heard("n3", 1, "n3", AT);
    heard("n3", 1, "n3", AT);
    heard("n3", 1, "n3", AT + 1);
    heard("n3", 1, "n3", AT);

    MoveMark newest = new MoveMark(0, 1, "n3", AT + 1);
    assertThat(told).containsExactly(new MoveMark(0, 1, "n3", AT), newest);
    directory.close();
    directory = NodeDirectory.open(path, "n1");
    assertThat(directory.given()).containsExactly(newest);
  }

  @Test
  void nothingIsRecordedOfPartitionsThatHaveMovedOnly() {
    heard("n3", 1, "n3", 70);

    assertThat(directory.given()).isEmpty();
  }

  @Test
  void norWhatAnotherNodeThanTheOwnerSays() {
    heard("n4", 1, "n3", AT);

    assertThat(directory.given()).isEmpty();
  }

  /** It ends soon, and what it has can still be looked at. */
  @Test
  void whatIsHereIsNotGivenAway() {
    heard("n3", 0, "n3", AT);

    assertThat(directory.given()).isEmpty();
    assertThat(told).isEmpty();
  }
}
