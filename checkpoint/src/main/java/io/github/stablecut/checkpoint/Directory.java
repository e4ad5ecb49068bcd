package io.github.stablecut.checkpoint;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * The project's abstraction of a file system: a flat directory of files that are written once, from
 * front to back. Thread-safe; one thread at a time writes a file.
 *
 * <p>All completed operations survive a crash of the process. After a crash of the machine, a
 * file's bytes survive if the file was forced. Its name, its new name or its absence survives if
 * the directory was forced. Any part of the rest may survive. To make a file durable, force the
 * file, then the directory.
 */
public interface Directory {
  /** The names of all files, sorted. */
  List<String> list() throws IOException;

  /** A file's name in messages: its path, if it has one. */
  String pathOf(String name);

  /**
   * Creates an empty file.
   *
   * @throws FileAlreadyExistsException if there is a file of this name
   */
  FileAppender create(String name) throws IOException;

  /**
   * Opens a file for reading, with its current length.
   *
   * @throws NoSuchFileException if there is no such file
   */
  FileView view(String name) throws IOException;

  /**
   * Creates a hard link to a complete file outside this directory, so that no byte is copied.
   *
   * @return false if that is impossible, for example across disks; then nothing was changed
   */
  default boolean link(String name, Path target) {
    return false;
  }

  /** Renames a file atomically, replacing an existing file of the new name. */
  void rename(String from, String to) throws IOException;

  /**
   * Deletes a file and frees its space at once. No view of it may be in use. A crash may leave the
   * file empty instead.
   *
   * @throws NoSuchFileException if there is no such file
   */
  void delete(String name) throws IOException;

  /** Makes the creation, renaming and deletion of files durable. */
  void force() throws IOException;

  /**
   * The bytes that can be written before the disk is full.
   *
   * @throws IOException if the free space can't be read, for example because the directory was
   *     deleted
   */
  long usableBytes() throws IOException;

  /**
   * Reads a small file.
   *
   * @throws IOException if it can't be read, or is longer than {@code maxBytes}
   */
  default byte[] read(String name, int maxBytes) throws IOException {
    try (FileView view = view(name)) {
      if (view.length() > maxBytes) {
        throw new IOException(
            "%s has %d bytes, expected at most %d"
                .formatted(pathOf(name), view.length(), maxBytes));
      }
      return view.get(0, (int) view.length());
    }
  }

  /**
   * Creates or replaces a small file durably: after a crash the file has the old content or the new
   * one. Temporarily uses the name with the suffix {@code .new}.
   */
  default void replace(String name, byte[] content) throws IOException {
    String unfinished = name + ".new";
    if (list().contains(unfinished)) {
      delete(unfinished);
    }
    try (FileAppender file = create(unfinished)) {
      file.append(content, 0, content.length);
      file.force();
    }
    force();
    rename(unfinished, name);
    force();
  }
}
