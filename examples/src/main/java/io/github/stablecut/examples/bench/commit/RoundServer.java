package io.github.stablecut.examples.bench.commit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Map;

/**
 * Runs rounds on request of a benchmark in another process ({@link PeerProcess}), so that each
 * compared system has its own JVM and libraries. Standard output begins with {@value #READY}. Each
 * line of standard input names a target, threads, bytes of a record and nanoseconds; the answer is
 * the round's figures. The process ends with its input.
 */
public final class RoundServer {
  static final String READY = "ready";

  private RoundServer() {}

  /** Serves until the input ends, and closes the targets. */
  public static void serve(Map<String, CommitTarget> targets)
      throws IOException, InterruptedException {
    try {
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      System.out.println(READY);
      String line;
      while ((line = in.readLine()) != null) {
        System.out.println(run(targets, line.split(" ", -1)).toLine());
      }
    } finally {
      targets.values().forEach(CommitTarget::close);
    }
  }

  private static CommitRound run(Map<String, CommitTarget> targets, String[] words)
      throws InterruptedException {
    CommitTarget target = targets.get(words[0]);
    if (target == null) {
      throw new IllegalArgumentException(
          "no target is called %s; the targets are %s".formatted(words[0], targets.keySet()));
    }
    return CommitRound.run(
        target, Integer.parseInt(words[1]), Integer.parseInt(words[2]), Long.parseLong(words[3]));
  }

  /** The line that requests a round. */
  static String request(String target, int threads, int bodyBytes, long nanos) {
    return "%s %d %d %d".formatted(target, threads, bodyBytes, nanos);
  }
}
