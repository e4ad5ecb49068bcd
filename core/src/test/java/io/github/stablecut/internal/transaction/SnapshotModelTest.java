package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The rules of snapshots are sufficient for {@link HistoryCheck}, and each is necessary: without it
 * some histories fail the check.
 */
class SnapshotModelTest {
  private static final int HISTORIES = 1_000;

  private static Optional<String> violation(Optional<SnapshotModel.Mutant> mutant) {
    for (long seed = 0; seed < HISTORIES; seed++) {
      Optional<String> violation = new SnapshotModel(seed, mutant).run();
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

  @ParameterizedTest
  @EnumSource
  void everyRuleIsNeeded(SnapshotModel.Mutant mutant) {
    assertThat(violation(Optional.of(mutant))).isPresent();
  }
}
