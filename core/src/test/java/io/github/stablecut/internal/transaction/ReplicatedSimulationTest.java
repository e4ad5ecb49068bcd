package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * Histories of transactions over several partitions with three replicas each, on nodes that crash,
 * freeze, lose their disks and are cut off. {@link HistoryCheck}, {@link NamesCheck}, {@link
 * SimulatedRegisters} and {@link SimulatedChanges} judge what clients saw. Journals stay bounded
 * once faults have ended, and everything settles. A failed test names the properties with which
 * {@code anyHistoryIsRight} repeats the history.
 */
class ReplicatedSimulationTest {
  private static final long MASTER_SEED = Long.getLong("simulation.master", 1);

  private static final int HISTORIES = 600;

  /** Of the long variant, unless {@code -Dstablecut.histories=} says otherwise. */
  private static final int MANY_HISTORIES = 20_000;

  private static final int TOLD_EVERY = 200;

  /** A busy machine, on which threads take turns slowly, runs fewer histories. */
  private static final Duration LONGEST = Duration.ofSeconds(45);

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

  /** Always the same histories, so that the build finds what a change has broken. */
  @Test
  void anyHistoryIsRight() {
    Optional<ReplicatedHistory> given = ReplicatedHistory.fromProperties();
    if (given.isPresent()) {
      given.get().check();
    } else {
      run(
          new Random(MASTER_SEED),
          Integer.getInteger("stablecut.histories", HISTORIES),
          LONGEST,
          1);
    }
  }

  @Test
  @Tag("long")
  void anyOfManyHistoriesIsRight() {
    run(
        new Random(),
        Integer.getInteger("stablecut.histories", MANY_HISTORIES),
        Duration.ofDays(1),
        Runtime.getRuntime().availableProcessors());
  }

  /** A failed history can be replayed: nothing but its number decides what happens. */
  @ParameterizedTest
  @ValueSource(longs = {1, 34, 35})
  void aHistoryIsRepeatable(long seed) {
    ReplicatedHistory history = new ReplicatedHistory(seed);

    assertThat(history.check().digest()).isEqualTo(history.check().digest());
  }

  /** Runs histories, as many at a time as there are threads; each of them is confined to itself. */
  private static void run(Random seeds, int histories, Duration atMost, int threads) {
    Counts counts = new Counts(histories, System.nanoTime(), atMost.toNanos());
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<CompletableFuture<Void>> workers =
          IntStream.range(0, threads)
              .mapToObj(worker -> CompletableFuture.runAsync(() -> work(seeds, counts), executor))
              .toList();
      workers.forEach(CompletableFuture::join);
    } finally {
      executor.shutdown();
    }
    counts.checkThatEnoughHappens();
  }

  private static void work(Random seeds, Counts counts) {
    try {
      while (counts.mayBegin()) {
        counts.add(new ReplicatedHistory(seeds.nextLong()).check());
      }
    } finally {
      counts.end();
    }
  }

  /** What happened in all histories. */
  private static final class Counts {
    private final int most;
    private final long beganAtNanos;
    private final long atMostNanos;
    private int begun;
    private int histories;
    private long acknowledged;
    private long leaders;
    private long nearReads;
    private long conditional;
    private long changes;
    private long crashes;

    Counts(int most, long beganAtNanos, long atMostNanos) {
      this.most = most;
      this.beganAtNanos = beganAtNanos;
      this.atMostNanos = atMostNanos;
    }

    /** Counts a history that begins, unless there are enough. */
    synchronized boolean mayBegin() {
      boolean mayBegin = begun < most && System.nanoTime() - beganAtNanos < atMostNanos;
      begun += mayBegin ? 1 : 0;
      return mayBegin;
    }

    /** No more histories begin. */
    synchronized void end() {
      begun = most;
    }

    synchronized void add(Simulation simulation) {
      histories++;
      acknowledged += simulation.acknowledged();
      leaders += simulation.replicated().cluster().leaders();
      nearReads += simulation.replicated().nearReads();
      conditional += simulation.registers().answered();
      changes += simulation.changes().delivered();
      crashes += simulation.replicated().cluster().midStepCrashes();
      if (histories % TOLD_EVERY == 0) {
        System.out.printf(
            "%s, in %,d s%n", this, Duration.ofNanos(System.nanoTime() - beganAtNanos).toSeconds());
      }
    }

    /** A simulation in which little happens finds nothing. */
    void checkThatEnoughHappens() {
      assertThat(acknowledged).isGreaterThan(20L * histories);
      assertThat(leaders).isGreaterThan(5L * histories);
      assertThat(nearReads).isGreaterThan(2L * histories);
      assertThat(conditional).isGreaterThan(20L * histories);
      assertThat(changes).isGreaterThan(10L * histories);
      assertThat(3 * crashes).isGreaterThan(histories);
    }

    @Override
    public String toString() {
      return ("%,d histories with replicas are right: %,d transactions and %,d operations on"
              + " registers acknowledged, %,d changes delivered, %,d reads from followers, %,d"
              + " epochs, %,d crashes in the middle of a step")
          .formatted(histories, acknowledged, conditional, changes, nearReads, leaders, crashes);
    }
  }
}
