package io.github.stablecut.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Copies of directories, as an operator makes them and puts them back. */
public final class DirectoryCopy {
  private DirectoryCopy() {}

  /** Copies a directory to where nothing is. */
  public static void make(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : (Iterable<Path>) all::iterator) {
        Path unused = Files.copy(path, to.resolve(from.relativize(path)));
      }
    }
  }

  /** Puts another directory into the place of one, which gets the other's name. */
  public static void swap(Path directory, Path other) throws IOException {
    Path aside = directory.resolveSibling(directory.getFileName() + ".aside");
    Path unused = Files.move(directory, aside);
    Path unusedToo = Files.move(other, directory);
    Path unusedAlso = Files.move(aside, other);
  }

  /** What a node's directory consists of, but for the file that says who uses it. */
  public static Map<Path, String> content(Path directory) throws IOException {
    Map<Path, String> content = new TreeMap<>();
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : (Iterable<Path>) all.filter(Files::isRegularFile)::iterator) {
        if (!path.endsWith("LOCK")) {
          String unused =
              content.put(
                  directory.relativize(path),
                  Files.size(path) + " bytes of " + Files.getLastModifiedTime(path));
        }
      }
    }
    return content;
  }
}
