package io.github.stablecut.internal.copies;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Copies agree on what is committed, an epoch has one leader, and latest reads are of the present,
 * whatever fails meanwhile; once nothing fails any more, one leads and all follow.
 */
final class CopiesSimulationTest {
  private static void run(long from, long to, int copies) {
    for (long seed = from; seed < to; seed++) {
      try {
        new CopiesSimulation(seed, copies).run(20);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed %d: %s".formatted(seed, e), e);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void nothingThatIsCommittedIsLost(int copies) {
    run(0, 400, copies);
  }

  /** So many histories as {@code -Dstablecut.histories} says, 20,000 if it says nothing. */
  @ParameterizedTest
  @Tag("long")
  @ValueSource(ints = {1, 3, 5})
  void nothingIsLostInManyHistoriesEither(int copies) {
    run(1_000, 1_000 + Long.getLong("stablecut.histories", 20_000), copies);
  }

  @Test
  void muchHappens() {
    int leaders = 0;
    long records = 0;
    long reads = 0;
    int lostDisks = 0;
    int fetches = 0;
    int replaced = 0;
    Set<Integer> sizes = new HashSet<>();
    for (long seed = 0; seed < 50; seed++) {
      CopiesSimulation simulation = new CopiesSimulation(seed, 3);
      simulation.run(20);
      leaders += simulation.check().leaders();
      records += simulation.check().known();
      reads += simulation.check().reads();
      lostDisks += simulation.lostDisks();
      fetches += simulation.fetches();
      replaced += simulation.replacedNodes();
      sizes.addAll(simulation.sizes());
    }

    assertThat(leaders).isGreaterThan(50 * 2);
    assertThat(records).isGreaterThan(50 * 100);
    assertThat(reads).isGreaterThan(50 * 10);
    assertThat(lostDisks).isGreaterThan(20);
    assertThat(fetches).isGreaterThan(20);
    assertThat(replaced).isGreaterThan(8);
    assertThat(sizes).contains(1, 3, 5);
  }
}
