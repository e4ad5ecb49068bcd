package io.github.stablecut.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Creates directories with mode 0700 and files with mode 0600 on file systems with POSIX
 * permissions, even if the process's umask permits more; elsewhere with the defaults. Existing
 * files and directories keep their permissions. Thread-safe.
 */
public final class PrivateFiles {
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");

  private PrivateFiles() {}

  /** Opens a file; if this creates it, only its owner may read and write it. */
  public static FileChannel open(Path file, OpenOption... options) throws IOException {
    return FileChannel.open(file, Set.of(options), attributes(file, FILE));
  }

  /**
   * Creates one directory.
   *
   * @throws FileAlreadyExistsException if the path exists
   */
  public static void createDirectory(Path directory) throws IOException {
    Files.createDirectory(directory, attributes(directory, DIRECTORY));
  }

  /**
   * Creates a directory and its missing parents, and forces each new entry to the disk. Does
   * nothing if the directory exists.
   */
  public static void createDirectories(Path directory) throws IOException {
    Path absolute = directory.toAbsolutePath();
    Path parent = absolute.getParent();
    if (Files.isDirectory(absolute) || parent == null) {
      return;
    }
    createDirectories(parent);
    try {
      createDirectory(absolute);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(absolute)) {
        throw e;
      }
    }
    forceDirectory(parent);
  }

  /** Makes the creation, renaming and deletion of entries of a directory durable. */
  public static void forceDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Writes a small file and forces its content to the disk, but not its directory entry. */
  public static void write(Path file, String text) throws IOException {
    try (FileChannel channel =
        open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = UTF_8.encode(text);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  /** Durably creates or replaces a small file; keeps the previous file on failure. */
  public static void replace(Path directory, String name, String text) throws IOException {
    Path fresh = directory.resolve(name + ".new");
    write(fresh, text);
    Files.move(fresh, directory.resolve(name), ATOMIC_MOVE, REPLACE_EXISTING);
    forceDirectory(directory);
  }

  /** Restricts a file created by a library that does not support permissions. */
  public static void restrict(Path file) throws IOException {
    if (hasPermissions(file)) {
      Files.setPosixFilePermissions(file, FILE);
    }
  }

  private static FileAttribute<?>[] attributes(Path path, Set<PosixFilePermission> permissions) {
    return hasPermissions(path)
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
        : new FileAttribute<?>[0];
  }

  private static boolean hasPermissions(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
