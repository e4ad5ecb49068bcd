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
 * A file or directory that is written under a temporary name next to its target and renamed once
 * complete, so that the target is never partial. Creating the temporary file excludes other
 * writers. Closing deletes an incomplete one. Confined to one thread.
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
   * Creates an empty file.
   *
   * @param target the final path
   * @throws TargetExistsException if the target or its temporary file exists
   */
  public static UnfinishedFile file(Path target) throws IOException {
    if (Files.exists(target)) {
      throw exists(target);
    }
    Path parent = target.toAbsolutePath().normalize().getParent();
    if (parent != null && !Files.exists(parent)) {
      throw new NoSuchFileException(parent.toString());
    }
    return at(target, path -> PrivateFiles.open(path, CREATE_NEW, WRITE).close());
  }

  private static TargetExistsException exists(Path target) {
    return new TargetExistsException(target + " already exists: choose another name");
  }

  /**
   * Creates an empty directory.
   *
   * @param target the final path, which must be missing or an empty directory
   * @throws TargetExistsException if it is neither, or its temporary directory exists
   */
  public static UnfinishedFile directory(Path target) throws IOException {
    if (Files.exists(target) && !isEmptyDirectory(target)) {
      throw new TargetExistsException(
          target + " already exists and is not an empty directory: choose another one");
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

  /** Creates a missing file or directory. */
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
          path
              + " exists: if no process is writing it, it is left over from an interrupted one; delete it");
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

  /** Returns the temporary path. */
  public Path path() {
    return path;
  }

  /**
   * Renames it to the target, durably. Its content is durable already.
   *
   * @throws TargetExistsException if the target was created meanwhile
   */
  public void complete() throws IOException {
    if (Files.isDirectory(path)) {
      // The system refuses to replace anything but an empty directory.
      Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
    } else {
      nameFile();
    }
    isComplete = true;
    try (FileChannel parent = FileChannel.open(target.resolveSibling("."))) {
      parent.force(true);
    }
  }

  /** Creates a link, which fails if the target was created meanwhile; a move would replace it. */
  private void nameFile() throws IOException {
    try {
      Files.createLink(target, path);
      Files.delete(path);
    } catch (FileAlreadyExistsException e) {
      throw exists(target);
    } catch (UnsupportedOperationException | FileSystemException e) {
      // A file system without links.
      if (Files.exists(target)) {
        throw exists(target);
      }
      Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /** Deletes an incomplete file or directory. */
  @Override
  public void close() throws IOException {
    if (isComplete) {
      return;
    }
    try {
      Files.walkFileTree(path, new Deletion());
    } catch (NoSuchFileException e) {
      // Deleted by someone else.
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
