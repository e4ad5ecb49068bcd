package io.github.stablecut.internal.recovery;

import static java.nio.file.StandardOpenOption.READ;

import io.github.stablecut.checkpoint.CheckpointFiles;
import io.github.stablecut.journal.JournalDirectory;
import io.github.stablecut.journal.JournalStatus;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of a partition that another node may copy: immutable files, and append-only journal
 * segments. While the partition is open, the list lacks files that change in place ({@link
 * CheckpointFiles#CURRENT}), and files may disappear. Immutable.
 */
public final class PartitionImage {
  /** The folders of the partition's directory that may hold files. */
  static final List<String> FOLDERS = List.of("journal", "journal/sealed", "checkpoint");

  private static final Pattern NAME =
      Pattern.compile("(journal|journal/sealed|checkpoint)/[A-Za-z0-9][A-Za-z0-9.-]{0,60}");

  /**
   * A file to copy.
   *
   * @param name the name with its folder, such as {@code checkpoint/run-7}
   * @param bytes the valid length
   */
  public record CopiedFile(String name, long bytes) {}

  private final Path partition;

  PartitionImage(Path partition) {
    this.partition = partition;
  }

  /** Resolves a name in a partition's directory; refuses names that no file of a partition has. */
  static Path resolve(Path partition, String name) throws IOException {
    if (!NAME.matcher(name).matches()) {
      throw new FileNotFoundException("a partition has no file \"" + name + "\"");
    }
    return partition.resolve(name);
  }

  /**
   * Lists the files.
   *
   * @param journal provides the valid lengths of the segments
   * @param isClosed whether the partition is closed, so that files no longer change
   */
  public List<CopiedFile> list(JournalStatus journal, boolean isClosed) throws IOException {
    Map<Integer, Long> segments = new HashMap<>();
    journal.segments().forEach(segment -> segments.put(segment.number(), segment.allocatedBytes()));
    List<CopiedFile> found = new ArrayList<>();
    for (String folder : FOLDERS) {
      Path in = partition.resolve(folder);
      if (!Files.isDirectory(in)) {
        continue;
      }
      for (String name : names(in)) {
        long length = in.resolve(name).toFile().length();
        long counts =
            folder.equals("checkpoint")
                ? isForGood(name, isClosed) ? length : -1
                : Math.min(length, segments.getOrDefault(JournalDirectory.segmentOf(name), -1L));
        if (counts >= 0) {
          found.add(new CopiedFile(folder + "/" + name, counts));
        }
      }
    }
    return found;
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> file.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  private static boolean isForGood(String name, boolean isClosed) {
    return name.equals(CheckpointFiles.CURRENT)
        ? isClosed
        : CheckpointFiles.isOurs(name) && name.matches("(MANIFEST|run|hist)-[0-9]+");
  }

  /**
   * Reads bytes of a file.
   *
   * @throws IOException if they can't be read, or the file no longer has them
   */
  public byte[] read(String name, long from, int length) throws IOException {
    Path file = resolve(partition, name);
    ByteBuffer bytes = ByteBuffer.allocate(length);
    try (FileChannel channel = FileChannel.open(file, READ)) {
      while (bytes.hasRemaining() && channel.read(bytes, from + bytes.position()) >= 0) {
        // Reads until the buffer is full or the file ends.
      }
    }
    if (bytes.hasRemaining()) {
      throw new FileNotFoundException(
          "%s no longer has %,d bytes at %,d".formatted(file, length, from));
    }
    return Arrays.copyOf(bytes.array(), length);
  }
}
