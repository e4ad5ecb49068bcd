package io.github.stablecut.examples.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rounds that alternate between targets, so that all meet the same machine. Immutable.
 *
 * @param warmUps how many rounds of each come first and don't count
 * @param rounds how many count
 * @param bodyBytes of each commit
 * @param nanos how long a round takes
 */
record CommitRounds(int warmUps, int rounds, int bodyBytes, long nanos) {
  /** Runs them, and prints the median one of each target as a line of CSV. */
  void print(int threads, Map<String, CommitTarget> targets) throws InterruptedException {
    Map<String, List<CommitRound>> all = new LinkedHashMap<>();
    for (int i = 0; i < warmUps + rounds; i++) {
      for (Map.Entry<String, CommitTarget> target : targets.entrySet()) {
        CommitRound round = CommitRound.run(target.getValue(), threads, bodyBytes, nanos);
        if (i >= warmUps) {
          all.computeIfAbsent(target.getKey(), name -> new ArrayList<>()).add(round);
        }
      }
    }
    all.forEach((name, some) -> print(threads, name, some));
  }

  private static void print(int threads, String name, List<CommitRound> some) {
    some.sort(Comparator.comparingDouble(CommitRound::commitsPerSecond));
    CommitRound median = some.get(some.size() / 2);
    System.out.printf(
        "%d,%s,%.0f,%.0f,%.0f,%.4f%n",
        threads,
        name,
        median.commitsPerSecond(),
        median.p50Micros(),
        median.p99Micros(),
        median.syncsPerCommit());
  }
}
