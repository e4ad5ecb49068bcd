package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** When a node hands partitions over to their preferred leaders by itself. */
final class LeaderBalanceTest {
  private long nanos = 5;
  private final LeaderBalance balance = new LeaderBalance(() -> nanos);

  private void pass(Duration time) {
    nanos += time.toNanos();
  }

  @Test
  void waitsUntilThePreferredLeaderHasBeenAbleToLeadForAWhile() {
    assertThat(balance.takeDue(Set.of(3))).isEmpty();
    pass(LeaderBalance.SETTLING.minusNanos(1));
    assertThat(balance.takeDue(Set.of(3))).isEmpty();
    pass(Duration.ofNanos(1));
    assertThat(balance.takeDue(Set.of(3))).contains(3);
  }

  @Test
  void beginsToWaitAgainAfterAnInterruption() {
    assertThat(balance.takeDue(Set.of(3))).isEmpty();
    pass(LeaderBalance.SETTLING);
    assertThat(balance.takeDue(Set.of())).isEmpty();
    assertThat(balance.takeDue(Set.of(3))).isEmpty();
  }

  @Test
  void handsOverOnePartitionAfterTheOther() {
    assertThat(balance.takeDue(Set.of(4, 2))).isEmpty();
    pass(LeaderBalance.SETTLING);
    assertThat(balance.takeDue(Set.of(4, 2))).contains(2);
    assertThat(balance.takeDue(Set.of(4, 2))).contains(4);
    assertThat(balance.takeDue(Set.of(4, 2))).isEmpty();
  }

  @Test
  void waitsTwiceAsLongAfterEachHandoverOfTheSamePartition() {
    assertThat(balance.takeDue(Set.of(3))).isEmpty();
    pass(LeaderBalance.SETTLING);
    assertThat(balance.takeDue(Set.of(3))).contains(3);
    pass(LeaderBalance.SETTLING.multipliedBy(2).minusNanos(1));
    assertThat(balance.takeDue(Set.of(3))).isEmpty();
    pass(Duration.ofNanos(1));
    assertThat(balance.takeDue(Set.of(3))).contains(3);
    pass(LeaderBalance.SETTLING.multipliedBy(4).minusNanos(1));
    assertThat(balance.takeDue(Set.of(3))).isEmpty();
    for (int i = 0; i < 10; i++) {
      pass(LeaderBalance.LONGEST);
      assertThat(balance.takeDue(Set.of(3))).contains(3);
    }
  }

  @Test
  void forgetsHandoversAfterAWhile() {
    assertThat(balance.takeDue(Set.of(3))).isEmpty();
    pass(LeaderBalance.SETTLING);
    assertThat(balance.takeDue(Set.of(3))).contains(3);
    assertThat(balance.takeDue(Set.of())).isEmpty();
    pass(LeaderBalance.FORGOTTEN);
    assertThat(balance.takeDue(Set.of(3))).isEmpty();
    pass(LeaderBalance.SETTLING);
    assertThat(balance.takeDue(Set.of(3))).contains(3);
  }
}
