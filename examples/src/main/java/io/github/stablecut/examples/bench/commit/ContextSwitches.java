package io.github.stablecut.examples.bench.commit;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The times that threads stopped running, as Linux counts them; NaN on other systems. Immutable.
 *
 * @param voluntary to wait for something
 * @param involuntary because another thread had its turn
 */
public record ContextSwitches(double voluntary, double involuntary) {
  private static final Path THREADS = Path.of("/proc/self/task");
  private static final String VOLUNTARY = "voluntary_ctxt_switches:";
  private static final String INVOLUNTARY = "nonvoluntary_ctxt_switches:";

  /** The sum over all threads of this process that have not ended. */
  static ContextSwitches ofThisProcess() {
    if (!Files.isDirectory(THREADS)) {
      return new ContextSwitches(Double.NaN, Double.NaN);
    }
    ContextSwitches sum = new ContextSwitches(0, 0);
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
      for (Path thread : threads) {
        sum = sum.plus(ofThread(thread));
      }
    } catch (IOException e) {
      return new ContextSwitches(Double.NaN, Double.NaN);
    }
    return sum;
  }

  private static ContextSwitches ofThread(Path thread) {
    try {
      double voluntary = 0;
      double involuntary = 0;
      for (String line : Files.readAllLines(thread.resolve("status"))) {
        if (line.startsWith(VOLUNTARY)) {
          voluntary = Double.parseDouble(line.substring(VOLUNTARY.length()));
        } else if (line.startsWith(INVOLUNTARY)) {
          involuntary = Double.parseDouble(line.substring(INVOLUNTARY.length()));
        }
      }
      return new ContextSwitches(voluntary, involuntary);
    } catch (IOException e) {
      return new ContextSwitches(0, 0); // the thread has ended
    }
  }

  ContextSwitches plus(ContextSwitches other) {
    return new ContextSwitches(voluntary + other.voluntary, involuntary + other.involuntary);
  }

  ContextSwitches minus(ContextSwitches before) {
    return new ContextSwitches(voluntary - before.voluntary, involuntary - before.involuntary);
  }

  ContextSwitches per(long operations) {
    return new ContextSwitches(voluntary / operations, involuntary / operations);
  }
}
