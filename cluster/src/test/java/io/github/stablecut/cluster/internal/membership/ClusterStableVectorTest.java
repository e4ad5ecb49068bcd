package io.github.stablecut.cluster.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.GossipedDataCentres.Arrived;
import io.github.stablecut.cluster.internal.membership.GossipedDataCentres.Shared;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a node knows of what has come from other data centres to all partitions of its cluster. */
final class ClusterStableVectorTest {
  private static final int PARTITIONS = 2;
  private static final int OTHER = 1;

  private long seconds = 100;
  private final ClusterStableVector arrivals =
      new ClusterStableVector(() -> TimeUnit.SECONDS.toNanos(seconds));

  private static VectorClock until(long time) {
    return VectorClock.ZERO.with(OTHER, time);
  }

  private static Arrived arrived(int partition, long time, long transaction) {
    return new Arrived(partition, until(time), until(transaction));
  }

  private void tell(Arrived... some) {
    arrivals.arrived(List.of(some), PARTITIONS);
  }

  private static GossipedDataCentres facts(Shared shared, Arrived... arrived) {
    return new GossipedDataCentres(
        "", Optional.empty(), shared, List.of(arrived), VectorClock.ZERO);
  }

  @Test
  void nothingIsSharedBeforeAllPartitionsWereHeardOf() {
    tell(arrived(0, 20, 15));
    assertThat(arrivals.shared()).isEqualTo(Shared.NOTHING);

    tell(arrived(1, 30, 30));
    assertThat(arrivals.shared().times()).isEqualTo(until(20));
  }

  @Test
  void aSnapshotSeesOfAnotherOneItsLastTransactionThatAllPartitionsHave() {
    tell(arrived(0, 20, 15), arrived(1, 30, 12));
    assertThat(arrivals.shared().transactions()).isEqualTo(until(15));

    // A transaction of another partition, at 25, has not come to all.
    tell(arrived(0, 20, 15), arrived(1, 30, 25));
    assertThat(arrivals.shared().transactions()).isEqualTo(until(20));
    assertThat(arrivals.last()).isEqualTo(until(25));
  }

  @Test
  void aPartitionThatTellsOfLessAfterARestartTakesNothingBack() {
    tell(arrived(0, 20, 20), arrived(1, 20, 20));

    tell(arrived(0, 5, 5), arrived(1, 40, 40));

    assertThat(arrivals.shared().times()).isEqualTo(until(20));
  }

  @Test
  void whatOtherNodesHaveToldIsKnownHere() {
    assertThat(arrivals.told(facts(new Shared(until(20), until(10)), arrived(0, 30, 30)))).isTrue();
    assertThat(arrivals.shared()).isEqualTo(new Shared(until(20), until(10)));

    tell(arrived(1, 25, 25));
    assertThat(arrivals.shared().times()).isEqualTo(until(25));
  }

  @Test
  void onlyTransactionsAreNews() {
    GossipedDataCentres first = facts(Shared.NOTHING, arrived(0, 10, 10));
    assertThat(arrivals.told(first)).isTrue();
    assertThat(arrivals.told(first)).isFalse();
    assertThat(arrivals.told(facts(Shared.NOTHING, arrived(0, 99, 10)))).isFalse();
  }

  @Test
  void whatSomebodyHasReadHasComeToAll() {
    arrivals.wasShared(until(50));

    assertThat(arrivals.shared()).isEqualTo(new Shared(until(50), until(50)));
  }

  @Test
  void whatWasSharedLongAgoIsRemembered() {
    Duration age = Duration.ofSeconds(60);
    arrivals.wasShared(until(10));
    assertThat(arrivals.before(age)).isEqualTo(VectorClock.ZERO);

    seconds += 30;
    arrivals.wasShared(until(20));
    seconds += 1;
    // Too soon for another step: it is remembered with the next one.
    arrivals.wasShared(until(30));
    seconds += 29;
    assertThat(arrivals.before(age)).isEqualTo(until(10));
    seconds += 30;
    assertThat(arrivals.before(age)).isEqualTo(until(20));
    arrivals.wasShared(until(30));
    seconds += 60;
    assertThat(arrivals.before(age)).isEqualTo(until(30));
  }

  @Test
  void whatReadersWaitForIsWantedFromPartitionsThatHaveIt() {
    arrivals.want(until(20));
    assertThat(arrivals.wantedHere()).isEqualTo(until(20));

    assertThat(arrivals.isWanted(until(10), until(10))).isFalse();
    assertThat(arrivals.isWanted(until(10), until(15))).isTrue();
    assertThat(arrivals.isWanted(until(20), until(25))).isFalse();

    seconds += 3;
    assertThat(arrivals.isWanted(until(10), until(15))).isFalse();
    assertThat(arrivals.wantedHere()).isEqualTo(VectorClock.ZERO);
  }

  @Test
  void whatReadersOfOtherNodesWaitForIsNotToldOn() {
    var unused =
        arrivals.told(
            new GossipedDataCentres("", Optional.empty(), Shared.NOTHING, List.of(), until(20)));

    assertThat(arrivals.isWanted(until(10), until(20))).isTrue();
    assertThat(arrivals.wantedHere()).isEqualTo(VectorClock.ZERO);

    seconds += 3;
    assertThat(arrivals.isWanted(until(10), until(20))).isFalse();
  }
}
