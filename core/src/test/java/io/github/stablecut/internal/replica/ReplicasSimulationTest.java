package io.github.stablecut.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Under any faults, replicas agree on what is committed, an epoch has one leader, and latest reads
 * see the present; after the last fault, one leads and all follow. The check detects each omitted
 * rule.
 */
final class ReplicasSimulationTest {
  private static final int SECONDS = 8;

  private static void run(long from, long to, int replicas, int seconds) {
    for (long seed = from; seed < to; seed++) {
      try {
        new ReplicasSimulation(seed, replicas).run(seconds);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed %d: %s".formatted(seed, e), e);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1_000", "3, 5_000", "5, 4_000"})
  void losesNothingCommitted(int replicas, int histories) {
    run(0, histories, replicas, SECONDS);
  }

  /**
   * A million histories, or as many as {@code -Dstablecut.histories} says; each tenth runs for a
   * minute.
   */
  @ParameterizedTest
  @Tag("long")
  @CsvSource({"1, 10", "3, 50", "5, 40"})
  void losesNothingInManyHistories(int replicas, int percent) {
    long histories = Long.getLong("stablecut.histories", 1_000_000) * percent / 100;
    run(100_000, 100_000 + histories * 9 / 10, replicas, SECONDS);
    run(10_000_000, 10_000_000 + histories / 10, replicas, 60);
  }

  @ParameterizedTest
  @EnumSource
  void everyRuleIsNeeded(BrokenRule rule) {
    Optional<AssertionError> found = Optional.empty();
    for (long seed = 0; seed < 20_000 && found.isEmpty(); seed++) {
      try {
        new ReplicasSimulation(seed, 3, Optional.of(rule)).run(SECONDS);
      } catch (AssertionError | RuntimeException e) {
        found = Optional.of(new AssertionError("seed " + seed, e));
      }
    }

    assertThat(found).isPresent();
  }

  @Test
  void allKindsOfEventsHappen() {
    int leaders = 0;
    long records = 0;
    long reads = 0;
    int lostDisks = 0;
    int fetches = 0;
    int replaced = 0;
    int handedOver = 0;
    int transferred = 0;
    int damaged = 0;
    Set<Integer> sizes = new HashSet<>();
    for (long seed = 0; seed < 200; seed++) {
      ReplicasSimulation simulation = new ReplicasSimulation(seed, 3);
      simulation.run(SECONDS);
      leaders += simulation.check().leaders();
      records += simulation.check().known();
      reads += simulation.check().reads();
      lostDisks += simulation.lostDisks();
      fetches += simulation.fetches();
      replaced += simulation.replacedNodes();
      handedOver += simulation.handedOver();
      transferred += simulation.transferred();
      damaged += simulation.damaged();
      sizes.addAll(simulation.sizes());
    }

    assertThat(leaders).isGreaterThan(200 * 2);
    assertThat(records).isGreaterThan(200 * 30);
    assertThat(reads).isGreaterThan(200 * 5);
    assertThat(lostDisks).isGreaterThan(50);
    assertThat(fetches).isGreaterThan(50);
    assertThat(replaced).isGreaterThan(20);
    assertThat(handedOver).isGreaterThan(5);
    assertThat(transferred).isGreaterThan(5);
    assertThat(damaged).isGreaterThan(20);
    assertThat(sizes).contains(1, 3, 5);
  }
}
