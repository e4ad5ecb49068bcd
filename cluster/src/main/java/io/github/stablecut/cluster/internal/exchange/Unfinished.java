package io.github.stablecut.cluster.internal.exchange;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file or directory that is being made beside its place, and gets its name once it is complete:
 * what has the name is never a part. Closing takes away what is not complete. Confined to one
 * thread.
 */
public final class Unfinished implements AutoCloseable {
  private final Path target;
  private final Path path;

  private Unfinished(Path target, Path path) {
    this.target = target;
    this.path = path;
  }

  /**
   * Begins a file.
   *
   * @param target where it is to be
   * @throws PlaceTakenException if there is something, or something unfinished of the name
   */
  public static Unfinished file(Path target) throws IOException {
    if (Files.exists(target)) {
      throw new PlaceTakenException(target + " is there already: choose another name");
    }
    return at(target);
  }

  /**
   * Begins a directory.
   *
   * @param target where it is to be: not there, or empty
   * @throws PlaceTakenException if there is something, or something unfinished of the name
   */
  public static Unfinished directory(Path target) throws IOException {
    if (Files.exists(target) && !isEmptyDirectory(target)) {
      throw new PlaceTakenException(
          target + " is there already, and no empty directory: choose another one");
    }
    return at(target);
  }

  private static Path unfinished(Path target) {
    return target.resolveSibling(target.getFileName() + ".unfinished");
  }

  private static Unfinished at(Path target) throws IOException {
    Path absolute = target.toAbsolutePath().normalize();
    Path path = unfinished(absolute);
    if (Files.exists(path)) {
      throw new PlaceTakenException(
          path + " is there: if nobody is writing it, it was cut short; delete it");
    }
    return new Unfinished(absolute, path);
  }

  private static boolean isEmptyDirectory(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      return false;
    }
    try (Stream<Path> files = Files.list(path)) {
      return files.findAny().isEmpty();
    }
  }

  /** Where to make it. */
  public Path path() {
    return path;
  }

  /** Gives it its name, durably; what is in it is durable. */
  public void complete() throws IOException {
    Path unused = Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel parent = FileChannel.open(target.resolveSibling("."))) {
      parent.force(true);
    }
  }

  /** Takes away what has not got its name. */
  @Override
  public void close() throws IOException {
    try {
      Path unused = Files.walkFileTree(path, new Deletion());
    } catch (NoSuchFileException e) {
      // It has got its name, or was never made.
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.delete(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
        throws IOException {
      Files.delete(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}
