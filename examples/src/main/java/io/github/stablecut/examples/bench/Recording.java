package io.github.stablecut.examples.bench;

import io.github.stablecut.testing.history.CausalCheck;
import io.github.stablecut.testing.history.HistoryRecorder;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that records the operations of a benchmark's clients. */
final class Recording {
  private static final int MAX_SHOWN = 10;

  @Option(
      names = "--record",
      paramLabel = "FILE",
      description =
          "also record the clients' transactions, one line of JSON each, and check them; keep such runs"
              + " short: the record stays in memory and distorts the figures")
  private @Nullable Path file;

  /** Creates the file, if one is requested. */
  Optional<HistoryRecorder> begin(String what) {
    return Optional.ofNullable(file).map(path -> HistoryRecorder.create(path, what));
  }

  /**
   * Completes the file and prints whether the history is valid.
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
    violations.stream().limit(MAX_SHOWN).forEach(violation -> System.out.println("# " + violation));
    return violations.isEmpty() ? 0 : 1;
  }
}
