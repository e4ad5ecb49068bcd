package io.github.stablecut.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Copies directories and restores them, as an administrator would. */
public final class DirectoryCopy {
  private DirectoryCopy() {}

  /** Copies a directory to a path that does not exist. */
  public static void make(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : (Iterable<Path>) all::iterator) {
        Files.copy(path, to.resolve(from.relativize(path)));
      }
    }
  }

  /** Exchanges two directories: each gets the other's name. */
  public static void swap(Path directory, Path other) throws IOException {
    Path aside = directory.resolveSibling(directory.getFileName() + ".aside");
    Files.move(directory, aside);
    Files.move(other, directory);
    Files.move(aside, other);
  }

  /** The files of a node's directory, except the file that names its user. */
  public static Map<Path, String> content(Path directory) throws IOException {
    Map<Path, String> content = new TreeMap<>();
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : (Iterable<Path>) all.filter(Files::isRegularFile)::iterator) {
        if (!path.endsWith("LOCK")) {
          content.put(
              directory.relativize(path),
              Files.size(path) + " bytes of " + Files.getLastModifiedTime(path));
        }
      }
    }
    return content;
  }
}
