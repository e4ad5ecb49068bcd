package io.github.stablecut.cluster.internal.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Which large requests get memory, and which wait. */
class MemoryBudgetTest {
  private final MemoryBudget budget = new MemoryBudget(100);
  private final List<String> granted = new ArrayList<>();

  private boolean grow(MemoryBudget.Claim claim, long bytes, String name) {
    return budget.grow(claim, bytes, () -> granted.add(name));
  }

  @Test
  void anAnnouncedRequestTakesNothing() {
    assertThat(budget.begin()).isNotSameAs(budget.begin());

    assertThat(grow(budget.begin(), 100, "")).isTrue();
  }

  @Test
  void theOldestRequestAlwaysProceeds() {
    MemoryBudget.Claim first = budget.begin();
    MemoryBudget.Claim second = budget.begin();
    assertThat(grow(first, 50, "")).isTrue();
    assertThat(grow(second, 50, "")).isTrue();

    assertThat(grow(second, 50, "second")).isFalse();
    assertThat(grow(first, 50, "first")).isTrue();
    budget.end(first);

    assertThat(granted).containsExactly("second");
  }

  @Test
  void waitingRequestsAreGrantedInOrder() {
    MemoryBudget.Claim first = budget.begin();
    assertThat(grow(first, 100, "")).isTrue();
    MemoryBudget.Claim large = budget.begin();
    MemoryBudget.Claim small = budget.begin();
    MemoryBudget.Claim tooLarge = budget.begin();
    MemoryBudget.Claim last = budget.begin();
    assertThat(grow(large, 60, "large")).isFalse();
    assertThat(grow(small, 30, "small")).isFalse();
    assertThat(grow(tooLarge, 60, "too large")).isFalse();
    assertThat(grow(last, 1, "last")).isFalse();

    budget.end(first);

    assertThat(granted).as("nobody overtakes").containsExactly("large", "small");
    budget.end(large);
    assertThat(granted).containsExactly("large", "small", "too large", "last");
  }

  @Test
  void anEndedClaimNoLongerWaits() {
    MemoryBudget.Claim first = budget.begin();
    assertThat(grow(first, 100, "")).isTrue();
    MemoryBudget.Claim gone = budget.begin();
    assertThat(grow(gone, 10, "gone")).isFalse();

    budget.end(gone);
    budget.end(gone);
    budget.end(first);

    assertThat(granted).isEmpty();
    assertThat(grow(budget.begin(), 100, "")).isTrue();
  }

  @Test
  void smallAnswersAreAlwaysSentAndLargeOnesWhileMemoryIsAvailable() {
    AnswerBudget answers = new AnswerBudget(1 << 20, Duration.ZERO);

    assertThat(answers.take(2 << 20)).as("alone").isTrue();
    assertThat(answers.take(100_000)).isFalse();
    assertThat(answers.take(1_000)).isTrue();
    answers.giveBack(2 << 20);
    assertThat(answers.take(100_000)).isTrue();
  }

  @Test
  void twoLargeAnswersWaitForMemory() throws Exception {
    AnswerBudget answers = new AnswerBudget(1 << 20, Duration.ofMinutes(1));
    assertThat(answers.take(2 << 20)).isTrue();
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      // One of three is refused.
      ExecutorCompletionService<Boolean> first = new ExecutorCompletionService<>(threads);
      for (int i = 0; i < 3; i++) {
        assertThat(first.submit(() -> answers.take(500_000))).isNotNull();
      }
      assertThat(first.take().get()).isFalse();

      answers.giveBack(2 << 20);

      assertThat(first.take().get()).isTrue();
      assertThat(first.take().get()).isTrue();
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void connectionsLeaveDescriptorsForFiles() {
    assertThat(Descriptors.connections(1024, 1 << 20, 100)).isEqualTo(1024);
    assertThat(Descriptors.connections(1024, 1024, 100)).isEqualTo(1024 - 256 - 64 - 100);
    assertThat(Descriptors.connections(1024, 256, 100)).isEqualTo(1);
  }
}
