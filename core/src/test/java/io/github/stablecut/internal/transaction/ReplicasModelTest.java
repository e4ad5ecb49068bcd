package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The rules of replicas (decision 20) are sufficient and necessary: without any of them, some
 * history violates an acknowledgement or an answer.
 */
class ReplicasModelTest {
  private static final int HISTORIES = 3_000;

  private static Optional<String> violation(Optional<ReplicasModel.Mutant> mutant) {
    for (long seed = 0; seed < HISTORIES; seed++) {
      Optional<String> violation = new ReplicasModel(seed, mutant).run();
      if (violation.isPresent()) {
        return Optional.of("seed %d: %s".formatted(seed, violation.get()));
      }
    }
    return Optional.empty();
  }

  @Test
  void noHistoryIsWrong() {
    assertThat(violation(Optional.empty())).isEmpty();
  }

  @Test
  void mostHistoriesAreEventful() {
    int eventful = 0;
    for (long seed = 0; seed < 100; seed++) {
      ReplicasModel model = new ReplicasModel(seed, Optional.empty());
      assertThat(model.run()).isEmpty();
      eventful += model.isEventful() ? 1 : 0;
    }

    assertThat(eventful).isGreaterThan(33);
  }

  @ParameterizedTest
  @EnumSource
  void everyRuleIsNeeded(ReplicasModel.Mutant mutant) {
    assertThat(violation(Optional.of(mutant))).isPresent();
  }
}
