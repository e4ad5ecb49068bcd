package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * Histories of transactions over several partitions that crash, with failing collaborators, checked
 * by {@link HistoryCheck} and {@link NamesCheck}. To replay a failed one, run {@code
 * anyHistoryIsRight} with its number in {@code -Dsimulation.seed=}.
 */
class SimulationTest {
  private static final int STEPS = 300;
  private static final int HISTORIES = 1_200;
  private static final int MANY_HISTORIES = 100_000;
  private static final int TOLD_EVERY = 300;

  private static final Logger STORE = (Logger) LoggerFactory.getLogger("io.github.stablecut");

  /** The store's log entries about constantly injected faults are of no use. */
  @BeforeAll
  static void logNothing() {
    STORE.setLevel(Level.OFF);
  }

  @AfterAll
  static void logAgain() {
    STORE.setLevel(null);
  }

  @Test
  void anyHistoryIsRight() {
    Long seed = Long.getLong("simulation.seed");
    if (seed == null) {
      run(HISTORIES);
    } else {
      check(seed);
    }
  }

  @Test
  @Tag("long")
  void anyOfManyHistoriesIsRight() {
    run(MANY_HISTORIES);
  }

  private static void run(int histories) {
    Random seeds = new Random();
    for (int done = 1; done <= histories; done++) {
      check(seeds.nextLong());
      if (done % TOLD_EVERY == 0) {
        System.out.printf("%,d of %,d histories are right%n", done, histories);
      }
    }
  }

  private static void check(long seed) {
    Optional<String> violation;
    try {
      violation = new Simulation(seed).run(STEPS);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("-Dsimulation.seed=" + seed, e);
    }
    assertThat(violation).as("-Dsimulation.seed=" + seed).isEmpty();
  }
}
