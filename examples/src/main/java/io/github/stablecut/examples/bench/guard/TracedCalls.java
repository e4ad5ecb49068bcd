package io.github.stablecut.examples.bench.guard;

import io.github.stablecut.examples.bench.commit.TraceMark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The system calls of a round, in a log of strace. Immutable.
 *
 * @param all system calls
 * @param futex those with which threads sleep and wake others
 * @param syncs of files
 */
public record TracedCalls(long all, long futex, long syncs) {
  private static final TracedCalls NONE = new TracedCalls(0, 0, 0);

  /** The begin of a call; its end is on a line of its own if other threads ran in between. */
  private static final Pattern CALL = Pattern.compile("^(?:\\d+ +)?([a-z]\\w*)\\(");

  /** The words before a command whose system calls are to be logged. */
  public static List<String> prefix(Path log) {
    return List.of("strace", "-f", "-qq", "-s", "0", "-o", log.toString());
  }

  /** Whether strace is installed and may trace a process. */
  public static boolean canTrace() throws InterruptedException {
    try {
      return new ProcessBuilder("strace", "-qq", "-o", "/dev/null", "true")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Counts the calls of all threads between the marks of each round. */
  public static List<TracedCalls> ofRounds(Path log) throws IOException {
    List<TracedCalls> rounds = new ArrayList<>();
    TracedCalls[] sum = {NONE};
    boolean[] isInRound = {false};
    try (Stream<String> lines = Files.lines(log)) {
      lines.forEach(
          line -> {
            Matcher call = CALL.matcher(line);
            if (!call.find()) {
              return;
            }
            if (line.contains(TraceMark.FILE)) {
              if (isInRound[0]) {
                rounds.add(sum[0]);
                sum[0] = NONE;
              }
              isInRound[0] = !isInRound[0];
            } else if (isInRound[0]) {
              sum[0] = sum[0].plus(call.group(1));
            }
          });
    }
    return rounds;
  }

  private TracedCalls plus(String call) {
    return new TracedCalls(
        all + 1, futex + (call.equals("futex") ? 1 : 0), syncs + (call.endsWith("sync") ? 1 : 0));
  }
}
