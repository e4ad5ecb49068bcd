package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * Histories of transactions over several partitions with three replicas each, on nodes that crash,
 * freeze, lose their disks and are cut off. {@link HistoryCheck}, {@link NamesCheck} and {@link
 * SimulatedRegisters} judge what clients saw. Journals stay bounded once faults have ended, and
 * everything settles. To replay a failed one, run {@code anyHistoryIsRight} with its number in
 * {@code -Dsimulation.seed=}.
 */
class ReplicatedSimulationTest {
  private static final int STEPS = 800;
  private static final int HISTORIES = 250;

  /** Of the long variant, unless {@code -Dstablecut.histories=} says otherwise. */
  private static final int MANY_HISTORIES = 20_000;

  private static final int TOLD_EVERY = 50;

  /** A busy machine, on which threads take turns slowly, runs fewer histories. */
  private static final Duration LONGEST = Duration.ofMinutes(2);

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
      run(HISTORIES, LONGEST);
    } else {
      check(seed);
    }
  }

  @Test
  @Tag("long")
  void anyOfManyHistoriesIsRight() {
    run(Integer.getInteger("stablecut.histories", MANY_HISTORIES), Duration.ofDays(1));
  }

  /** A failed history can be replayed: nothing but its number decides what happens. */
  @ParameterizedTest
  @ValueSource(longs = {1, 34, 35})
  void aHistoryIsRepeatable(long seed) {
    assertThat(check(seed).digest()).isEqualTo(check(seed).digest());
  }

  private static void run(int histories, Duration atMost) {
    long beganAtNanos = System.nanoTime();
    Random seeds = new Random();
    int leaders = 0;
    int nearReads = 0;
    int conditional = 0;
    long acknowledged = 0;
    int done = 0;
    while (done < histories && System.nanoTime() - beganAtNanos < atMost.toNanos()) {
      done++;
      Simulation simulation = check(seeds.nextLong());
      leaders += simulation.replicated().leaders();
      nearReads += simulation.replicated().nearReads();
      conditional += simulation.registers().answered();
      acknowledged += simulation.acknowledged();
      if (done % TOLD_EVERY == 0) {
        System.out.printf("%,d of %,d histories with replicas are right%n", done, histories);
      }
    }
    assertThat(leaders).isGreaterThan(5 * done);
    assertThat(nearReads).isGreaterThan(done / 5);
    assertThat(conditional).isGreaterThan(3 * done);
    assertThat(acknowledged).isGreaterThan(3L * done);
  }

  /** Runs a history, which has to be right. */
  private static Simulation check(long seed) {
    Simulation simulation = new Simulation(seed, Simulation.Kind.REPLICATED);
    Optional<String> violation;
    try {
      violation = simulation.run(STEPS);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("-Dsimulation.seed=" + seed, e);
    } finally {
      simulation.end();
    }
    assertThat(violation).as("-Dsimulation.seed=" + seed).isEmpty();
    return simulation;
  }
}
