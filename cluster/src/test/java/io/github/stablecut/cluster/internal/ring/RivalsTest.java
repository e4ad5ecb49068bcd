package io.github.stablecut.cluster.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Of two clusters that should be one, both sides agree which gives way. */
class RivalsTest {
  private static Standing standing(String address, long store, int nodes, long age) {
    return new Standing(address, 1, store, nodes, age);
  }

  private static void givesWay(Standing loser, Standing winner) {
    assertThat(loser.givesWayTo(winner)).isTrue();
    assertThat(winner.givesWayTo(loser)).isFalse();
  }

  @Test
  void theOneWithoutAStoreThenTheSmallerThenTheYoungerGivesWay() {
    givesWay(standing("a:1", 0, 5, 90_000), standing("b:1", 7, 1, 1));
    givesWay(standing("a:1", 7, 1, 90_000), standing("b:1", 7, 2, 1));
    givesWay(standing("a:1", 7, 2, 1), standing("b:1", 7, 2, 90_000));
  }

  @Test
  void ofEqualOnesTheAddressDecidesWhateverTheMessagesTook() {
    givesWay(standing("b:1", 7, 2, 5_000), standing("a:1", 7, 2, 5_000));
    givesWay(standing("b:1", 7, 2, 5_400), standing("a:1", 7, 2, 5_000));
  }

  @Test
  void aClusterWithAStoreOfItsOwnDoesNotEndBecauseStrangersKnowIt() {
    Standing own = standing("a:1", 7, 1, 10_000);
    Standing other = standing("b:1", 8, 3, 90_000);

    assertThat(Rivals.givesWay(own, other, List.of("c:1"))).isFalse();
    assertThat(Rivals.givesWay(own, other, List.of("b:1"))).isTrue();
    assertThat(Rivals.givesWay(other, own, List.of("a:1"))).isFalse();
  }

  @Test
  void anotherClusterOfTheSameStoreIsOneWhoeverKnowsIt() {
    Standing own = standing("a:1", 7, 1, 10_000);

    assertThat(Rivals.givesWay(own, standing("b:1", 7, 3, 90_000), List.of())).isTrue();
  }

  @Test
  void whatIsSaidNamesBothStores() {
    assertThat(Rivals.problem("n1", standing("a:1", 7, 1, 1), standing("b:1", 8, 3, 9)))
        .contains("node n1 is in that of store 0000000000000007 with 1 nodes")
        .contains("the node at b:1 in that of store 0000000000000008 with 3")
        .contains("cluster export");
  }
}
