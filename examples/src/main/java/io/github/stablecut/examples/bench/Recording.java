package io.github.stablecut.examples.bench;

import io.github.stablecut.testing.history.CausalCheck;
import io.github.stablecut.testing.history.HistoryRecorder;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option to record what a benchmark's clients did and saw. */
final class Recording {
  private static final int MOST_SHOWN = 10;

  @Option(
      names = "--record",
      paramLabel = "FILE",
      description =
          "also write what the store's clients did and saw, one line of JSON per transaction, and check it; keep such runs"
              + " short: all of it stays in memory, and the figures are not those of an undisturbed run")
  private @Nullable Path file;

  /** Opens the file, if one is asked for. */
  Optional<HistoryRecorder> begin(String what) {
    return Optional.ofNullable(file).map(path -> HistoryRecorder.create(path, what));
  }

  /**
   * Ends the file and says whether what it has is right.
   *
   * @return the exit code
   */
  static int end(HistoryRecorder recorder) {
    recorder.close();
    List<String> violations = CausalCheck.violations(recorder.history(), true);
    System.out.printf(
        "# recorded %,d transactions: %s%n",
        recorder.history().size(),
        violations.isEmpty() ? "repeatable, atomic, causal, up to date" : "WRONG");
    violations.stream()
        .limit(MOST_SHOWN)
        .forEach(violation -> System.out.println("# " + violation));
    return violations.isEmpty() ? 0 : 1;
  }
}
