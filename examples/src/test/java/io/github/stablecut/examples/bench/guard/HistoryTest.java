package io.github.stablecut.examples.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.examples.bench.guard.Figures.Load;
import io.github.stablecut.examples.bench.guard.Git.Commit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HistoryTest {
  private static final Load LOAD = new Load("mixed", 64);
  private static final String MACHINE = "2 processors; ext4";

  @TempDir Path directory;

  private static History.Line line(String time, String commit, Load load, double ratio) {
    return new History.Line(time, commit, load, Map.of("of_raw", ratio, "syncs", 0.03), MACHINE);
  }

  @Test
  void aLineHasRatiosToPeersAndCosts() {
    Figures figures = new Figures();
    for (int i = 1; i <= 3; i++) {
      figures.add(LOAD, "now", Map.of(Figures.SPEED, 100.0 * i, Figures.FUTEX_CALLS, 3.0));
      figures.add(LOAD, "raw", Map.of(Figures.SPEED, 200.0 * i));
      figures.add(LOAD, "rocksdb", Map.of(Figures.SPEED, 40.0 * i));
    }
    Commit commit = new Commit("abc", "2026-11-21T12:15:48Z", "a change");
    assertThat(History.line(commit, LOAD, figures, "now", "# 2 processors, ext4"))
        .isEqualTo(
            new History.Line(
                commit.time(),
                "abc",
                LOAD,
                Map.of("of_raw", 0.5, "of_rocksdb", 2.5, Figures.FUTEX_CALLS, 3.0),
                MACHINE));
  }

  @Test
  void keepsLinesInTheOrderOfCommits() throws Exception {
    Path file = directory.resolve("history.csv");
    assertThat(History.read(file)).isEmpty();
    History.Line newer = line("2026-11-28T06:40:00Z", "bbb", LOAD, 0.45);
    History.Line older = line("2026-11-21T12:15:48Z", "aaa", LOAD, 0.71);
    History.add(file, List.of(newer));
    History.add(file, List.of(older));

    assertThat(History.read(file)).containsExactly(older, newer);
    assertThat(Files.readAllLines(file).get(1))
        .isEqualTo("2026-11-21T12:15:48Z,aaa,mixed,64,0.7100,,,,,,,0.03000,,," + MACHINE);
  }

  @Test
  void aNewMeasurementReplacesThatOfTheSameLoad() throws Exception {
    Path file = directory.resolve("history.csv");
    History.Line first = line("2026-11-21T12:15:48Z", "aaa", LOAD, 0.71);
    History.Line ofOneThread = line("2026-11-21T12:15:48Z", "aaa", new Load("mixed", 1), 0.2);
    History.add(file, List.of(first, ofOneThread));
    History.Line second = line("2026-11-21T12:15:48Z", "aaa", LOAD, 0.75);
    History.add(file, List.of(second));

    assertThat(History.read(file)).containsExactly(ofOneThread, second);
  }

  @Test
  void namesALineThatItCannotRead() throws Exception {
    Path file = Files.writeString(directory.resolve("history.csv"), "header\na,b,c\n");
    assertThatThrownBy(() -> History.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("not a line of a history: a,b,c");
  }

  @Test
  void theProjectsHistoryIsReadable() throws Exception {
    Path file = Path.of("..", "docs", "benchmarks", "history.csv");
    assertThat(History.read(file)).allMatch(line -> line.load().threads() > 0);
  }
}
