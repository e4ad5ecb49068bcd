package io.github.stablecut.checkpoint;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * The file system as this project sees it: one flat directory of files that are written once, from
 * front to back. Thread-safe; a file is written by one thread at a time.
 *
 * <p>What an implementation promises on a crash of the process: all that was done is still there.
 * On a crash of the machine: a file's bytes are there if the file was forced; its name, its new
 * name or its absence, if the directory was forced; and of the rest any part. So whoever wants a
 * file for good forces the file, then the directory.
 */
public interface Directory {
  /** The names of all files, sorted. */
  List<String> list() throws IOException;

  /** What a file is called in messages: its path where there is one. */
  String pathOf(String name);

  /**
   * Creates an empty file.
   *
   * @throws FileAlreadyExistsException if there is a file of this name
   */
  FileAppender create(String name) throws IOException;

  /**
   * Opens a file for reading, as long as it is now.
   *
   * @throws NoSuchFileException if there is no such file
   */
  FileView view(String name) throws IOException;

  /**
   * Gives a complete file a second name outside of this directory, so that no byte is copied.
   *
   * @return false if that can't be done, as on another disk; then nothing was done
   */
  default boolean link(String name, Path target) {
    return false;
  }

  /** Gives a file another name, in place of the file that has it: atomic. */
  void rename(String from, String to) throws IOException;

  /**
   * Deletes a file and frees its space at once. Nobody may use a view of it any more. A crash may
   * leave the file empty instead.
   *
   * @throws NoSuchFileException if there is no such file
   */
  void delete(String name) throws IOException;

  /** Makes the creation, renaming and deletion of files durable. */
  void force() throws IOException;

  /**
   * The bytes that can still be written before the disk is full.
   *
   * @throws IOException if that is not known, as the directory is gone
   */
  long usableBytes() throws IOException;

  /**
   * Reads a small file.
   *
   * @throws IOException also if it is longer than {@code maxBytes}
   */
  default byte[] read(String name, int maxBytes) throws IOException {
    try (FileView view = view(name)) {
      if (view.length() > maxBytes) {
        throw new IOException(
            "%s has %d bytes, at most %d are expected"
                .formatted(pathOf(name), view.length(), maxBytes));
      }
      return view.get(0, (int) view.length());
    }
  }

  /**
   * Puts a small file in the place of another, or where there was none, durably: after a crash one
   * finds the old content or the new. Uses the name with {@code .new} behind it for a moment.
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
