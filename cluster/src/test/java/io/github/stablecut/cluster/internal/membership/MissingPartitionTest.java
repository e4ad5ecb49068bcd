package io.github.stablecut.cluster.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.internal.recovery.PartitionClaim;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * A node fails if it lacks a partition that it owns according to others: its directory is an older
 * copy.
 */
class MissingPartitionTest {
  private static final GossipedNodeState.Ownership OPEN =
      new GossipedNodeState.Ownership(0, "a", 5);

  private static GossipedNodeState node(
      List<GossipedNodeState.Ownership> owned, List<MoveProgress> moves) {
    return GossipedNodeState.builder("a", "a:1", 1).owned(owned).moves(moves).build();
  }

  private static String ofMissing(
      GossipedNodeState self, GossipedNodeState.Ownership heard, PartitionClaim... claims) {
    return OwnershipConflict.ofMissing(self, Set.of(), List.of(claims), List.of(heard)).orElse("");
  }

  private static PartitionClaim claim(PartitionClaim.Kind kind) {
    return new PartitionClaim(0, kind, 3);
  }

  @Test
  void detectsAnOwnedPartitionThatTheDirectoryLacks() {
    GossipedNodeState self = node(List.of(), List.of());

    assertThat(ofMissing(self, OPEN))
        .contains("node a does not have partition 0")
        .contains("know that it has it at epoch 5")
        .contains("the directory of node a is an older copy");
    assertThat(ofMissing(self, OPEN, claim(PartitionClaim.Kind.GAVE))).contains("partition 0");
    GossipedNodeState before = node(List.of(new GossipedNodeState.Ownership(0, "b", 3)), List.of());
    assertThat(ofMissing(before, OPEN, claim(PartitionClaim.Kind.GAVE))).contains("partition 0");
  }

  @Test
  void ignoresPartitionsThatTheNodeHasOrGaveAwaySince() {
    assertThat(ofMissing(node(List.of(OPEN), List.of()), OPEN)).isEmpty();
    GossipedNodeState given = node(List.of(new GossipedNodeState.Ownership(0, "b", 6)), List.of());
    assertThat(ofMissing(given, OPEN)).isEmpty();
    assertThat(ofMissing(node(List.of(), List.of()), new GossipedNodeState.Ownership(0, "b", 5)))
        .isEmpty();
  }

  @Test
  void ignoresPartitionsInAHandoff() {
    GossipedNodeState self = node(List.of(), List.of());

    assertThat(ofMissing(self, OPEN, claim(PartitionClaim.Kind.COPIED))).isEmpty();
    assertThat(OwnershipConflict.ofMissing(self, Set.of(0), List.of(), List.of(OPEN))).isEmpty();
    MoveProgress move = MoveProgress.in(MoveProgress.Phase.SWITCHING, 0, "b", "a", 1);
    assertThat(ofMissing(node(List.of(), List.of(move)), OPEN)).isEmpty();
  }
}
