package io.github.stablecut.examples.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.stablecut.examples.bench.guard.Figures.Load;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GuardSeriesTest {
  private static final Subject STORE =
      new Subject("now", "store", System.getProperty("java.class.path"));
  private static final Subject RAW = new Subject("raw", "raw", STORE.classPath());

  @TempDir Path directory;
  private final Figures figures = new Figures();

  private GuardSeries series(String bench, int... threads) {
    List<Integer> all = IntStream.of(threads).boxed().toList();
    return new GuardSeries(bench, all, 100, directory, figures);
  }

  @Test
  void theOrderIsReversedFromSeriesToSeries() {
    assertThat(GuardSeries.inOrder(List.of(STORE, RAW), 0)).containsExactly(STORE, RAW);
    assertThat(GuardSeries.inOrder(List.of(STORE, RAW), 1)).containsExactly(RAW, STORE);
    assertThat(GuardSeries.inOrder(List.of(STORE, RAW), 2)).containsExactly(STORE, RAW);
  }

  @Test
  void measuresTheStoreAndItsPeers() throws Exception {
    GuardSeries series = series("mixed", 1, 4);
    series.run(STORE);
    series.run(RAW);

    Load load = new Load("mixed", 4);
    assertThat(figures.loads()).containsExactly(new Load("mixed", 1), load);
    assertThat(figures.median(load, "now", Figures.SPEED)).isPositive();
    assertThat(figures.median(load, "now", Figures.ALLOCATION)).isGreaterThan(50);
    assertThat(figures.median(load, "raw", Figures.SPEED)).isPositive();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void countsSystemCallsPerOperation() throws Exception {
    assumeTrue(TracedCalls.canTrace(), "strace is missing");
    series("commit", 1).trace(RAW);

    Load load = new Load("commit", 1);
    assertThat(figures.median(load, "raw", Figures.SYNCS)).isBetween(0.9, 1.1);
    assertThat(figures.median(load, "raw", Figures.FUTEX_CALLS)).isBetween(2.0, 8.0);
    assertThat(figures.median(load, "raw", Figures.SYSTEM_CALLS)).isBetween(4.0, 20.0);
  }

  @Test
  void measuresAServerAndAnEchoOfItsFrames() throws Exception {
    GuardSeries series = series("wire", 2);
    series.run(STORE);
    series.run(new Subject("echo", "echo", STORE.classPath()));

    Load load = new Load("wire", 2);
    for (String subject : List.of("now", "echo")) {
      assertThat(figures.median(load, subject, Figures.SPEED)).isPositive();
      assertThat(figures.median(load, subject, Figures.PROCESSOR_TIME)).isGreaterThan(1);
      assertThat(figures.median(load, subject, Figures.ALLOCATION)).isGreaterThan(50);
    }
  }

  @Test
  @Tag("long")
  void measuresAllNodesOfACluster() throws Exception {
    series("replicas", 2).run(STORE);

    Load load = new Load("replicas", 2);
    assertThat(figures.median(load, "now", Figures.SPEED)).isPositive();
    // Each of the three nodes receives, syncs and answers: more than one node could do alone.
    assertThat(figures.median(load, "now", Figures.VOLUNTARY_SWITCHES)).isGreaterThan(3);
    assertThat(directory).isEmptyDirectory();
  }
}
