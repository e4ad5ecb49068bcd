package io.github.stablecut.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.journal.segment.StoredRecord;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The acknowledgements of {@link AppendingMain}, and a check that a journal contains them. */
final class Acknowledged {
  private final Map<Integer, Integer> lastByThread = new HashMap<>();
  private int count;

  /** Reads this many more acknowledgements; returns false at the end of the output. */
  boolean read(BufferedReader output, int more) throws IOException {
    int target = count + more;
    while (count < target) {
      String line = output.readLine();
      if (line == null) {
        return false;
      }
      add(line);
    }
    return true;
  }

  /** Reads the remaining output of a killed process; an incomplete last line doesn't count. */
  void readRest(BufferedReader output) throws IOException {
    StringBuilder rest = new StringBuilder();
    for (int c = output.read(); c >= 0; c = output.read()) {
      rest.append((char) c);
    }
    int end = rest.lastIndexOf("\n");
    if (end > 0) {
      rest.substring(0, end).lines().forEach(this::add);
    }
  }

  private void add(String line) {
    if (line.startsWith("ack ")) {
      String[] parts = line.split(" ", -1);
      lastByThread.merge(Integer.parseInt(parts[1]), Integer.parseInt(parts[2]), Math::max);
      count++;
    }
  }

  int count() {
    return count;
  }

  /**
   * Opens the journal and checks that it contains each thread's records up to the last acknowledged
   * one, in order, complete and once.
   *
   * @return the first number for the next process
   */
  int checkAgainst(Path directory) throws IOException {
    List<StoredRecord> recovered = new ArrayList<>();
    Journal journal =
        AppendingMain.open(directory, 0, new OpenJournal.IgnoringListener(), recovered);
    journal.close();
    Map<Integer, Integer> found = new HashMap<>();
    for (StoredRecord stored : recovered) {
      String[] parts = new String(stored.body(), UTF_8).split(" ", -1);
      int thread = Integer.parseInt(parts[0]);
      int number = Integer.parseInt(parts[1]);
      assertThat(number).isGreaterThan(found.getOrDefault(thread, -1));
      assertThat(parts[2]).isEqualTo("x".repeat(number % 500));
      found.put(thread, number);
    }
    lastByThread.forEach(
        (thread, last) -> assertThat(found.getOrDefault(thread, -1)).isGreaterThanOrEqualTo(last));
    return 1 + found.values().stream().mapToInt(i -> i).max().orElse(-1);
  }
}
