package io.github.stablecut.examples.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Describes the machine that a figure was measured on. */
final class Machine {
  private Machine() {}

  /** Processors, kernel, JDK and the file system of a directory, as a comment line of CSV. */
  static String describe(Path directory) throws IOException {
    return "# %d processors, %s %s %s, JDK %s, %s on %s"
        .formatted(
            Runtime.getRuntime().availableProcessors(),
            System.getProperty("os.name"),
            System.getProperty("os.version"),
            System.getProperty("os.arch"),
            System.getProperty("java.runtime.version"),
            Files.getFileStore(directory).type(),
            Files.getFileStore(directory).name());
  }
}
