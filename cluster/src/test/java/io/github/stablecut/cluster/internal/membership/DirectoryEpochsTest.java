package io.github.stablecut.cluster.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.internal.recovery.PartitionClaim;
import io.github.stablecut.internal.recovery.PartitionClaim.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * An older copy of a directory is recognized by the newer epochs that other nodes know, and only by
 * these.
 */
class DirectoryEpochsTest {
  private static final GossipedNodeState.Ownership OTHERS =
      new GossipedNodeState.Ownership(0, "n2", 1_004);
  private static final GossipedNodeState.Ownership OWN =
      new GossipedNodeState.Ownership(0, "n1", 5);

  private static String refusal(GossipedNodeState.Ownership known, PartitionClaim... claims) {
    return new DirectoryEpochs(List.of(claims)).refusal("n1", List.of(known)).orElse("");
  }

  private static PartitionClaim claim(Kind kind, long epoch) {
    return new PartitionClaim(0, kind, epoch);
  }

  @Test
  void refusesADirectoryFromBeforeAMove() {
    for (long epoch : new long[] {4, 1_004}) {
      assertThat(refusal(OTHERS, claim(Kind.HAS, epoch)))
          .contains("the directory of node n1 has partition 0 at epoch " + epoch)
          .contains("node n2 owns it at epoch 1004, because it moved there")
          .contains("restore the node's newest directory");
    }
  }

  @Test
  void refusesADirectoryFromBeforeTheLastStart() {
    assertThat(refusal(OWN, claim(Kind.HAS, 4)))
        .contains("the directory of node n1 has partition 0 at epoch 4")
        .contains("the other nodes know that it has it at epoch 5");
  }

  @Test
  void refusesADirectoryFromBeforeThePartitionArrived() {
    assertThat(refusal(OWN)).contains("the directory of node n1 has no partition 0");
    assertThat(refusal(new GossipedNodeState.Ownership(0, "n1", 2_004), claim(Kind.GAVE, 1_004)))
        .contains("the directory of node n1 gave away partition 0 at epoch 1004")
        .contains("the other nodes know that it has it at epoch 2004");
  }

  @Test
  void admitsTheOwner() {
    // It was opened while no other node ran; or the others know all; or the partition came back.
    assertThat(refusal(OWN, claim(Kind.HAS, 9))).isEmpty();
    assertThat(refusal(OWN, claim(Kind.HAS, 5))).isEmpty();
    assertThat(refusal(OTHERS, claim(Kind.HAS, 2_004))).isEmpty();
  }

  @Test
  void admitsANodeThatGaveThePartitionAway() {
    // The others may not know of the move, or know of it, or of later ones.
    assertThat(refusal(OWN, claim(Kind.GAVE, 1_005))).isEmpty();
    assertThat(refusal(OTHERS, claim(Kind.GAVE, 1_004))).isEmpty();
    assertThat(refusal(OTHERS, claim(Kind.GAVE, 1_003))).isEmpty();
  }

  @Test
  void admitsANodeWithACompleteCopy() {
    assertThat(refusal(OTHERS, claim(Kind.COPIED, 0))).isEmpty();
    // The others may know from the sender that it gave the partition away.
    assertThat(refusal(OWN, claim(Kind.COPIED, 0))).isEmpty();
  }

  @Test
  void admitsANodeThatNeverHadThePartition() {
    assertThat(refusal(OTHERS)).isEmpty();
    assertThat(new DirectoryEpochs(List.of(claim(Kind.HAS, 4))).refusal("n1", List.of())).isEmpty();
    assertThat(refusal(new GossipedNodeState.Ownership(1, "n2", 9), claim(Kind.HAS, 4))).isEmpty();
  }
}
