package io.github.stablecut.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** Locates files of the repository, in whichever of its folders a test runs. */
final class Repository {
  private static final Path ROOT = root(Path.of("").toAbsolutePath());

  private Repository() {}

  private static Path root(Path folder) {
    return Files.exists(folder.resolve("CONTRIBUTING.md"))
        ? folder
        : root(Objects.requireNonNull(folder.getParent(), "tests run in the repository"));
  }

  /** A file by its path from the root. */
  static Path file(String name) {
    return ROOT.resolve(name);
  }
}
