package io.github.stablecut.journal.internal;

import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.journal.segment.SegmentStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Names, locates and seals segment files, and makes changes of them durable. Thread-safe. */
public final class SegmentFiles {
  /** The directory of the files of earlier runs. */
  static final String SEALED = "sealed";

  private static final String SUFFIX = "S.cq4";
  private static final DateTimeFormatter DAY = DateTimeFormatter.BASIC_ISO_DATE;

  /** Chronicle's table of the directory's contents. */
  static final String METADATA = "metadata.cq4t";

  private static final int BLOCK_BYTES = 64 << 10;
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(BLOCK_BYTES).asReadOnlyBuffer();

  private SegmentFiles() {}

  /** The file name that Chronicle's SMALL_DAILY gives to a cycle. */
  static String nameOf(int segment) {
    return DAY.format(LocalDate.ofEpochDay(segment)) + SUFFIX;
  }

  /** The segment number of a file name; 0 if it is not a segment's. */
  public static int segmentOf(String fileName) {
    if (!fileName.endsWith(SUFFIX)) {
      return 0;
    }
    try {
      String day = fileName.substring(0, fileName.length() - SUFFIX.length());
      return (int) LocalDate.parse(day, DAY).toEpochDay();
    } catch (DateTimeParseException e) {
      return 0;
    }
  }

  /**
   * Moves the files of earlier runs out of Chronicle's reach, and cuts off the zeros at their ends.
   *
   * @return all segments with their files
   */
  static SortedMap<Integer, Path> seal(Path directory) throws IOException {
    Path sealed = directory.resolve(SEALED);
    PrivateFiles.createDirectories(sealed);
    Files.deleteIfExists(directory.resolve(METADATA));
    SortedMap<Integer, Path> moved = list(directory);
    for (Path file : moved.values()) {
      trim(file);
      Files.move(file, sealed.resolve(file.getFileName()), StandardCopyOption.ATOMIC_MOVE);
    }
    if (!moved.isEmpty()) {
      PrivateFiles.forceDirectory(sealed);
      PrivateFiles.forceDirectory(directory);
    }
    return list(sealed);
  }

  static SortedMap<Integer, Path> list(Path directory) throws IOException {
    SortedMap<Integer, Path> found = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      files.forEach(
          file -> {
            int segment = segmentOf(file.getFileName().toString());
            if (segment > 0) {
              found.put(segment, file);
            }
          });
    }
    return found;
  }

  /**
   * Cuts off the zeros at the end of a file that was being written when its process died, except as
   * many as its last chunk could end in. There are few: the file grew by {@link
   * ChronicleSegments#STEP_BYTES} at a time, and an orderly close ends a file with its last chunk.
   */
  private static void trim(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
      long end = channel.size();
      while (end > 0) {
        long from = Math.max(0, end - block.capacity());
        block.clear().limit((int) (end - from));
        readFully(channel, block, from);
        int used = usedBytes(block.flip());
        if (used > 0) {
          end = from + used;
          break;
        }
        end = from;
      }
      long kept = end + SegmentStore.MAX_CHUNK_BYTES;
      if (kept < channel.size()) {
        channel.truncate(kept);
      }
    }
  }

  private static void readFully(FileChannel channel, ByteBuffer block, long from)
      throws IOException {
    while (block.hasRemaining()) {
      if (channel.read(block, from + block.position()) < 0) {
        throw new IOException("the file became shorter while it was read");
      }
    }
  }

  /** The offset after the last non-zero byte of a block; 0 if all are zero. */
  private static int usedBytes(ByteBuffer block) {
    int end = block.limit();
    if (block.mismatch(ZEROS.duplicate().limit(end)) < 0) {
      return 0;
    }
    while (block.get(end - 1) == 0) {
      end--;
    }
    return end;
  }

  /**
   * Whether a file may be truncated. A file with a second name, such as the image of an open store,
   * may be mapped by a reader, which would fault at a page that is gone.
   *
   * @throws NoSuchFileException if there is no such file
   */
  static boolean isOnlyName(Path file) throws IOException {
    try {
      return Files.getAttribute(file, "unix:nlink") instanceof Integer links && links == 1;
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      return false;
    }
  }

  /** Makes the creation, moving or deletion of a file durable. */
  static void forceDirectoryOf(Path file) throws IOException {
    PrivateFiles.forceDirectory(
        Objects.requireNonNull(file.getParent(), "a segment has a parent directory"));
  }
}
