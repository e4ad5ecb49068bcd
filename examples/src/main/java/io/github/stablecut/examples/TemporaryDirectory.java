package io.github.stablecut.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A directory that is deleted when it is closed, or when the JVM exits. */
public final class TemporaryDirectory implements AutoCloseable {
  private final Path path;
  private final Optional<Thread> atExit;

  private TemporaryDirectory(Path path, boolean isDeletedAtExit) {
    this.path = path;
    this.atExit =
        isDeletedAtExit
            ? Optional.of(new Thread(this::delete, "delete-temporary-directory"))
            : Optional.empty();
  }

  /** Creates a directory whose name begins with a prefix. */
  public static TemporaryDirectory create(String prefix) throws IOException {
    TemporaryDirectory directory = new TemporaryDirectory(Files.createTempDirectory(prefix), true);
    directory.atExit.ifPresent(Runtime.getRuntime()::addShutdownHook);
    return directory;
  }

  /** Like {@link #create}, for callers that close it at the JVM's exit themselves. */
  public static TemporaryDirectory createToBeClosed(String prefix) throws IOException {
    return new TemporaryDirectory(Files.createTempDirectory(prefix), false);
  }

  /** The path of the directory. */
  public Path path() {
    return path;
  }

  @Override
  public void close() {
    delete();
    atExit.ifPresent(
        hook -> {
          Runtime.getRuntime().removeShutdownHook(hook);
        });
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
