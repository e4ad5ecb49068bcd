package io.github.stablecut.examples.bench;

import io.github.stablecut.file.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The directory that a benchmark writes to. */
final class Workspace {
  @Option(names = "--directory", description = "directory to write to; a temporary one by default")
  private Path parent = Path.of(System.getProperty("java.io.tmpdir"));

  /** Creates a new directory, which the caller deletes ({@link FileTrees#delete}). */
  Path create() throws IOException {
    return Files.createTempDirectory(Files.createDirectories(parent), "stablecut-bench");
  }
}
