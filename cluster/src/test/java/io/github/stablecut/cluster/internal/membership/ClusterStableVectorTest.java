package io.github.stablecut.cluster.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.GossipedDataCentres.ClusterProgress;
import io.github.stablecut.cluster.internal.membership.GossipedDataCentres.PartitionProgress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A node's knowledge of the stable vector of its cluster. */
final class ClusterStableVectorTest {
  private static final int PARTITIONS = 2;
  private static final int OTHER = 1;

  private long seconds = 100;
  private final ClusterStableVector arrivals =
      new ClusterStableVector(() -> TimeUnit.SECONDS.toNanos(seconds));

  private static VectorClock until(long time) {
    return VectorClock.ZERO.with(OTHER, time);
  }

  private static PartitionProgress arrived(int partition, long time, long transaction) {
    return new PartitionProgress(partition, until(time), until(transaction));
  }

  private void tell(PartitionProgress... some) {
    arrivals.recordProgress(List.of(some), PARTITIONS);
  }

  private static GossipedDataCentres facts(ClusterProgress shared, PartitionProgress... arrived) {
    return new GossipedDataCentres(
        "", Optional.empty(), shared, List.of(arrived), VectorClock.ZERO);
  }

  @Test
  void isZeroUntilAllPartitionsAreKnown() {
    tell(arrived(0, 20, 15));
    assertThat(arrivals.shared()).isEqualTo(ClusterProgress.NOTHING);

    tell(arrived(1, 30, 30));
    assertThat(arrivals.shared().times()).isEqualTo(until(20));
  }

  @Test
  void includesTheLastTransactionThatAllPartitionsHave() {
    tell(arrived(0, 20, 15), arrived(1, 30, 12));
    assertThat(arrivals.shared().transactions()).isEqualTo(until(15));

    // A transaction at 25 has not reached all partitions.
    tell(arrived(0, 20, 15), arrived(1, 30, 25));
    assertThat(arrivals.shared().transactions()).isEqualTo(until(20));
    assertThat(arrivals.last()).isEqualTo(until(25));
  }

  @Test
  void neverDecreasesWhenAPartitionReportsLess() {
    tell(arrived(0, 20, 20), arrived(1, 20, 20));

    tell(arrived(0, 5, 5), arrived(1, 40, 40));

    assertThat(arrivals.shared().times()).isEqualTo(until(20));
  }

  @Test
  void mergesTheKnowledgeOfOtherNodes() {
    assertThat(arrivals.merge(facts(new ClusterProgress(until(20), until(10)), arrived(0, 30, 30))))
        .isTrue();
    assertThat(arrivals.shared()).isEqualTo(new ClusterProgress(until(20), until(10)));

    tell(arrived(1, 25, 25));
    assertThat(arrivals.shared().times()).isEqualTo(until(25));
  }

  @Test
  void onlyTransactionsAreNews() {
    GossipedDataCentres first = facts(ClusterProgress.NOTHING, arrived(0, 10, 10));
    assertThat(arrivals.merge(first)).isTrue();
    assertThat(arrivals.merge(first)).isFalse();
    assertThat(arrivals.merge(facts(ClusterProgress.NOTHING, arrived(0, 99, 10)))).isFalse();
  }

  @Test
  void aSnapshotVectorIsStable() {
    arrivals.recordSnapshot(until(50));

    assertThat(arrivals.shared()).isEqualTo(new ClusterProgress(until(50), until(50)));
  }

  @Test
  void keepsAHistory() {
    Duration age = Duration.ofSeconds(60);
    arrivals.recordSnapshot(until(10));
    assertThat(arrivals.transactionsBefore(age)).isEqualTo(VectorClock.ZERO);

    seconds += 30;
    arrivals.recordSnapshot(until(20));
    seconds += 1;
    // Too soon for another step: it is recorded with the next one.
    arrivals.recordSnapshot(until(30));
    seconds += 29;
    assertThat(arrivals.transactionsBefore(age)).isEqualTo(until(10));
    seconds += 30;
    assertThat(arrivals.transactionsBefore(age)).isEqualTo(until(20));
    arrivals.recordSnapshot(until(30));
    seconds += 60;
    assertThat(arrivals.transactionsBefore(age)).isEqualTo(until(30));
  }

  @Test
  void awaitsTimesFromPartitionsThatHaveReachedThem() {
    arrivals.announce(until(20));
    assertThat(arrivals.awaitedHere()).isEqualTo(until(20));

    assertThat(arrivals.isAwaited(until(10), until(10))).isFalse();
    assertThat(arrivals.isAwaited(until(10), until(15))).isTrue();
    assertThat(arrivals.isAwaited(until(20), until(25))).isFalse();

    seconds += 3;
    assertThat(arrivals.isAwaited(until(10), until(15))).isFalse();
    assertThat(arrivals.awaitedHere()).isEqualTo(VectorClock.ZERO);
  }

  @Test
  void doesNotForwardTheTimesThatOtherNodesAwait() {
    assertThat(
            arrivals.merge(
                new GossipedDataCentres(
                    "", Optional.empty(), ClusterProgress.NOTHING, List.of(), until(20))))
        .isFalse();

    assertThat(arrivals.isAwaited(until(10), until(20))).isTrue();
    assertThat(arrivals.awaitedHere()).isEqualTo(VectorClock.ZERO);

    seconds += 3;
    assertThat(arrivals.isAwaited(until(10), until(20))).isFalse();
  }
}
