package io.github.stablecut.cluster.internal.exchange;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
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
 * what has the name is never a part. Who makes it has created the place, so two never make the
 * same. Closing takes away what is not complete. Confined to one thread.
 */
public final class UnfinishedFile implements AutoCloseable {
  private final Path target;
  private final Path path;
  private boolean isComplete;

  private UnfinishedFile(Path target, Path path) {
    this.target = target;
    this.path = path;
  }

  /**
   * Begins a file, which is empty.
   *
   * @param target where it is to be
   * @throws TargetExistsException if there is something, or something unfinished of the name
   */
  public static UnfinishedFile file(Path target) throws IOException {
    if (Files.exists(target)) {
      throw taken(target);
    }
    Path parent = target.toAbsolutePath().normalize().getParent();
    if (parent != null && !Files.exists(parent)) {
      throw new NoSuchFileException(parent.toString());
    }
    return at(target, path -> PrivateFiles.open(path, CREATE_NEW, WRITE).close());
  }

  private static TargetExistsException taken(Path target) {
    return new TargetExistsException(target + " is there already: choose another name");
  }

  /**
   * Begins a directory, which is empty.
   *
   * @param target where it is to be: not there, or empty
   * @throws TargetExistsException if there is something, or something unfinished of the name
   */
  public static UnfinishedFile directory(Path target) throws IOException {
    if (Files.exists(target) && !isEmptyDirectory(target)) {
      throw new TargetExistsException(
          target + " is there already, and no empty directory: choose another one");
    }
    Path parent = target.toAbsolutePath().normalize().getParent();
    if (parent != null) {
      PrivateFiles.createDirectories(parent);
    }
    return at(target, PrivateFiles::createDirectory);
  }

  private static Path unfinished(Path target) {
    return target.resolveSibling(target.getFileName() + ".unfinished");
  }

  /** Creates something that is not there. */
  @FunctionalInterface
  private interface Creation {
    void create(Path path) throws IOException;
  }

  private static UnfinishedFile at(Path target, Creation creation) throws IOException {
    Path absolute = target.toAbsolutePath().normalize();
    Path path = unfinished(absolute);
    try {
      creation.create(path);
    } catch (FileAlreadyExistsException e) {
      throw new TargetExistsException(
          path + " is there: if nobody is writing it, it was cut short; delete it");
    }
    return new UnfinishedFile(absolute, path);
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

  /**
   * Gives it its name, durably; what is in it is durable.
   *
   * @throws TargetExistsException if a file of the name has come meanwhile
   */
  public void complete() throws IOException {
    if (Files.isDirectory(path)) {
      // The system refuses to put it in the place of anything but an empty directory.
      Path unused = Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
    } else {
      nameFile();
    }
    isComplete = true;
    try (FileChannel parent = FileChannel.open(target.resolveSibling("."))) {
      parent.force(true);
    }
  }

  /** A move would take the place of a file that has come meanwhile; a link does not. */
  private void nameFile() throws IOException {
    try {
      Path unused = Files.createLink(target, path);
      Files.delete(path);
    } catch (FileAlreadyExistsException e) {
      throw taken(target);
    } catch (UnsupportedOperationException | FileSystemException e) {
      // A disk without links.
      if (Files.exists(target)) {
        throw taken(target);
      }
      Path unused = Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /** Takes away what has not got its name. */
  @Override
  public void close() throws IOException {
    if (isComplete) {
      return;
    }
    try {
      Path unused = Files.walkFileTree(path, new Deletion());
    } catch (NoSuchFileException e) {
      // Somebody else has taken it away.
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
