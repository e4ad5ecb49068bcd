package io.github.stablecut.examples.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A directory that goes with its user: when it is closed, or when the JVM ends before. */
final class TemporaryDirectory implements AutoCloseable {
  private final Path path;
  private final Thread atExit = new Thread(this::delete, "delete-temporary-directory");

  private TemporaryDirectory(Path path) {
    this.path = path;
  }

  static TemporaryDirectory create(String prefix) throws IOException {
    TemporaryDirectory directory = new TemporaryDirectory(Files.createTempDirectory(prefix));
    Runtime.getRuntime().addShutdownHook(directory.atExit);
    return directory;
  }

  Path path() {
    return path;
  }

  @Override
  public void close() {
    delete();
    var unused = Runtime.getRuntime().removeShutdownHook(atExit);
  }

  private void delete() {
    try (Stream<Path> files = Files.walk(path)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    } catch (NoSuchFileException e) {
      return; // deleted before
    } catch (IOException e) {
      throw new UncheckedIOException("temporary directory " + path, e);
    }
  }
}
