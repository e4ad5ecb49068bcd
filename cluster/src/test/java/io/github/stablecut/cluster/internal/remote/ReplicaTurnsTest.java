package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The senders of dropped messages take turns to exceed the memory, one message at a time. */
class ReplicaTurnsTest {
  private static final ReplicaTurns.Source ONE = new ReplicaTurns.Source("n2", 1);
  private static final ReplicaTurns.Source TWO = new ReplicaTurns.Source("n2", 2);

  private final AtomicLong nanos = new AtomicLong();
  private final TrafficBudget budget = new TrafficBudget("messages of a test", 100_000, 0);
  private final ReplicaTurns turns = new ReplicaTurns(nanos::get);

  @Test
  void onlyTheFirstOneWhoseMessageWasDroppedHasATurn() {
    assertThat(turns.isNext(ONE)).isFalse();

    turns.recordDrop(ONE);
    turns.recordDrop(TWO);
    turns.recordDrop(ONE);

    assertThat(turns.isNext(ONE)).isTrue();
    assertThat(turns.isNext(TWO)).isFalse();
    turns.recordComplete(ONE);
    assertThat(turns.isNext(TWO)).isTrue();
  }

  @Test
  void theNextOneWaitsUntilTheMemoryIsReleased() {
    turns.recordDrop(ONE);
    turns.recordDrop(TWO);
    TrafficBudget.Reservation exceeding = budget.take(200_000);
    turns.recordExceeding(exceeding);
    turns.recordComplete(ONE);

    assertThat(turns.isNext(TWO)).isFalse();
    exceeding.close();
    assertThat(turns.isNext(TWO)).isTrue();
  }

  @Test
  void aSenderThatDoesNotRetryLosesItsTurn() {
    turns.recordDrop(ONE);
    nanos.addAndGet(1);
    turns.recordDrop(TWO);

    nanos.addAndGet(ReplicaTurns.TURN.toNanos() - 1);

    assertThat(turns.isNext(TWO)).isTrue();
    assertThat(turns.isNext(ONE)).isFalse();
  }
}
