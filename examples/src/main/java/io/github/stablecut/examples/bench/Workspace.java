package io.github.stablecut.examples.bench;

import io.github.stablecut.file.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where a benchmark writes. */
final class Workspace {
  @Option(names = "--directory", description = "where to write; a temporary one by default")
  private Path parent = Path.of(System.getProperty("java.io.tmpdir"));

  /** Makes a new directory there; whoever calls deletes it ({@link FileTrees#delete}). */
  Path create() throws IOException {
    return Files.createTempDirectory(Files.createDirectories(parent), "stablecut-bench");
  }
}
