package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.PartitionUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Messages of one direction stay within their memory limit, and none waits forever. */
class TrafficBudgetTest {
  private static final long LIMIT = 100_000;

  private final TrafficBudget budget = new TrafficBudget("messages of a test", LIMIT, LIMIT);

  private static boolean isGranted(CompletableFuture<TrafficBudget.Reservation> request) {
    return request.isDone() && !request.isCompletedExceptionally();
  }

  @Test
  void releasedMemoryIsAvailableAgain() {
    TrafficBudget.Reservation first = budget.tryTake(60_000).orElseThrow();
    assertThat(budget.tryTake(60_000)).isEmpty();
    TrafficBudget.Reservation second = budget.tryTake(40_000).orElseThrow();
    assertThat(budget.taken()).isEqualTo(LIMIT);

    first.close();
    first.close();

    assertThat(budget.taken()).isEqualTo(40_000);
    assertThat(budget.tryTake(60_000)).isPresent();
    second.close();
  }

  @Test
  void aClosedReservationStaysClosed() {
    TrafficBudget.Reservation ended = budget.take(60_000);
    ended.close();

    ended.resize(70_000);
    assertThat(ended.tryGrow(10_000, 0)).isFalse();

    assertThat(budget.taken()).isZero();
  }

  @Test
  void smallMessagesAlwaysPass() {
    budget.take(2 * LIMIT);
    TrafficBudget.Reservation small = budget.tryTake(TrafficBudget.SMALL_BYTES).orElseThrow();

    assertThat(budget.request(TrafficBudget.SMALL_BYTES)).isCompleted();
    assertThat(budget.taken()).isEqualTo(2 * LIMIT);
    small.close();
    assertThat(budget.taken()).isEqualTo(2 * LIMIT);
  }

  @Test
  void aMessageLargerThanTheLimitPassesIfItIsAlone() {
    try (TrafficBudget.Reservation alone = budget.tryTake(10 * LIMIT).orElseThrow()) {
      assertThat(budget.tryTake(5_000)).isEmpty();
      assertThat(alone.tryGrow(LIMIT, 0)).isTrue();
    }
    assertThat(budget.taken()).isZero();
  }

  @Test
  void servesWaitersInOrder() {
    TrafficBudget.Reservation all = budget.take(LIMIT);
    CompletableFuture<TrafficBudget.Reservation> large = budget.request(70_000);
    CompletableFuture<TrafficBudget.Reservation> little = budget.request(20_000);
    assertThat(large).isNotDone();
    assertThat(little).isNotDone();

    all.resize(60_000);
    assertThat(large).isNotDone();
    assertThat(little).isNotDone();
    all.resize(20_000);

    assertThat(isGranted(large)).isTrue();
    assertThat(little).isNotDone();
    all.close();
    assertThat(isGranted(little)).isTrue();
    assertThat(budget.taken()).isEqualTo(90_000);
  }

  @Test
  void aCancelledWaiterBlocksNoOther() {
    TrafficBudget.Reservation most = budget.take(80_000);
    CompletableFuture<TrafficBudget.Reservation> large = budget.request(70_000);
    CompletableFuture<TrafficBudget.Reservation> little = budget.request(20_000);

    assertThat(large.cancel(false)).isTrue();

    assertThat(isGranted(little)).isTrue();
    assertThat(budget.taken()).isEqualTo(LIMIT);
    most.close();
    assertThat(budget.taken()).isEqualTo(20_000);
  }

  @Test
  void returnsMemoryThatNoThreadTakesOver() {
    TrafficBudget.Reservation all = budget.take(LIMIT);
    List<Throwable> failures = new ArrayList<>();
    TrafficBudget.whenGranted(
        budget.request(50_000),
        task -> {
          throw new OutOfMemoryError("for a test");
        },
        (reservation, failure) -> failures.add(Objects.requireNonNull(failure)));
    CompletableFuture<TrafficBudget.Reservation> next = budget.request(50_000);
    assertThat(failures).isEmpty();

    all.close();

    assertThat(failures).hasSize(1).first().isInstanceOf(OutOfMemoryError.class);
    assertThat(isGranted(next)).isTrue();
    assertThat(budget.taken()).isEqualTo(50_000);
  }

  @Test
  void limitsTheMemoryOfWaiters() {
    TrafficBudget.Reservation all = budget.take(LIMIT);
    List<CompletableFuture<TrafficBudget.Reservation>> waiting = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      waiting.add(budget.request(50_000));
    }

    assertThatThrownBy(() -> budget.request(50_000).join())
        .hasCauseInstanceOf(PartitionUnavailableException.class)
        .hasMessageContaining("no memory for 50,000 bytes: messages of a test take 100,000 of")
        .hasMessageContaining("try again");
    all.close();
    assertThat(waiting).allMatch(TrafficBudgetTest::isGranted);
  }

  @Test
  void countsMessagesThatMustNotBeRefused() {
    TrafficBudget.Reservation all = budget.take(LIMIT);
    TrafficBudget.Reservation more = budget.take(LIMIT);
    assertThat(budget.taken()).isEqualTo(2 * LIMIT);

    more.close();
    assertThat(budget.tryTake(5_000)).isEmpty();
    all.close();
    assertThat(budget.tryTake(5_000)).isPresent();
  }
}
