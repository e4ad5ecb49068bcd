package io.github.stablecut.cluster.internal.handoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.cluster.MoveRefusedException;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.internal.replica.Configuration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Determines what is lost with a node while partitions get replicas. */
class ForgettingReplicasTest {
  private static final Set<String> LOST = Set.of("n2");
  private static final Configuration UNREGISTERED = Configuration.first(List.of("n2"));

  private static MembershipView.Owner owner(int partition) {
    return new MembershipView.Owner(partition, "n2", "127.0.0.1:2", 7, false, 0);
  }

  @Test
  void unregisteredPartitionsAreLost() {
    Configuration others = new Configuration(1_001, "n1", List.of("n2", "n1"));

    assertThat(
            ForgettingRules.lost(
                List.of(owner(1), owner(2)), LOST, number -> number == 1 ? UNREGISTERED : others))
        .containsExactly(owner(1));
  }

  @Test
  void partitionsWithReplicasElsewhereAreNotLost() {
    assertThatThrownBy(
            () ->
                ForgettingRules.lost(
                    List.of(owner(2)),
                    LOST,
                    number -> new Configuration(1_001, "n2", List.of("n2", "n1"))))
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContaining("the loss of a minority of them loses no data")
        .hasMessageContaining("stablecut cluster replace")
        .hasMessageContaining("stablecut cluster recover");
  }

  @Test
  void resetsNoPartitionThatAnotherNodeMayPartlyHave() {
    assertThatThrownBy(
            () ->
                ForgettingRules.lost(
                    List.of(owner(1), owner(2)),
                    LOST,
                    number ->
                        number == 1
                            ? UNREGISTERED
                            : new Configuration(1_001, "n2~1", List.of("n2~1"))))
        .isInstanceOf(MoveRefusedException.class)
        .hasMessageContaining("the voters of the partitions [2] were on the nodes [n2]")
        .hasMessageContaining("stablecut cluster recover");
  }
}
