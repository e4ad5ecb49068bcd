package io.github.stablecut.examples.bench.commit;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rounds that alternate between targets, so that other load affects all of them. Immutable.
 *
 * @param warmUps the number of uncounted first rounds of each target
 * @param rounds the number of counted rounds
 * @param bodyBytes of each commit
 * @param nanos the duration of a round
 */
public record CommitRounds(int warmUps, int rounds, int bodyBytes, long nanos) {
  /**
   * The header of the table.
   *
   * @param what the counted thing, in the singular
   */
  public static String header(String what) {
    return "threads,target,%1$ss_per_s,p50_us,p99_us,syncs_per_%1$s,cpu_us_per_%1$s,allocated_bytes_per_%1$s"
        .formatted(what);
  }

  /** Runs the rounds in this process, and prints each target's median round as a line of CSV. */
  public void print(int threads, Map<String, CommitTarget> targets)
      throws IOException, InterruptedException {
    Map<String, CommitRunner> runners = new LinkedHashMap<>();
    targets.forEach(
        (name, target) ->
            runners.put(
                name, (count, bytes, duration) -> CommitRound.run(target, count, bytes, duration)));
    run(threads, runners);
  }

  /** Runs the rounds, prints each target's median round as a line of CSV, and returns them. */
  @CanIgnoreReturnValue
  public Map<String, CommitRound> run(int threads, Map<String, CommitRunner> runners)
      throws IOException, InterruptedException {
    Map<String, List<CommitRound>> all = new LinkedHashMap<>();
    for (int i = 0; i < warmUps + rounds; i++) {
      for (Map.Entry<String, CommitRunner> runner : runners.entrySet()) {
        CommitRound round = runner.getValue().run(threads, bodyBytes, nanos);
        if (i >= warmUps) {
          all.computeIfAbsent(runner.getKey(), name -> new ArrayList<>()).add(round);
        }
      }
    }
    Map<String, CommitRound> medians = new LinkedHashMap<>();
    all.forEach((name, some) -> medians.put(name, median(some)));
    medians.forEach((name, median) -> print(threads, name, median));
    return medians;
  }

  private static CommitRound median(List<CommitRound> some) {
    some.sort(Comparator.comparingDouble(CommitRound::commitsPerSecond));
    return some.get(some.size() / 2);
  }

  private static void print(int threads, String name, CommitRound median) {
    double syncs = median.syncsPerCommit();
    System.out.printf(
        "%d,%s,%.0f,%.0f,%.0f,%s,%.1f,%.0f%n",
        threads,
        name,
        median.commitsPerSecond(),
        median.p50Micros(),
        median.p99Micros(),
        Double.isNaN(syncs) ? "" : "%.4f".formatted(syncs),
        median.costs().cpuMicros(),
        median.costs().allocatedBytes());
  }
}
