package io.github.stablecut.journal.internal;

import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.journal.JournalVersionException;
import io.github.stablecut.journal.segment.CorruptJournalException;
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
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Names, locates and seals segment files of either layout, and makes changes of them durable.
 * Thread-safe.
 */
public final class SegmentFiles {
  /** The directory of the files of earlier runs. */
  static final String SEALED = "sealed";

  private static final String CHRONICLE_SUFFIX = "S.cq4";
  private static final String PLAIN_SUFFIX = ".seg";
  private static final Pattern PLAIN_NAME = Pattern.compile("[0-9]{10}\\.seg");
  private static final DateTimeFormatter DAY = DateTimeFormatter.BASIC_ISO_DATE;

  /** Chronicle's table of the directory's contents. */
  static final String METADATA = "metadata.cq4t";

  private static final int BLOCK_BYTES = 64 << 10;
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(BLOCK_BYTES).asReadOnlyBuffer();

  private SegmentFiles() {}

  /** The file name that Chronicle's SMALL_DAILY gives to a cycle. */
  static String chronicleNameOf(int segment) {
    return DAY.format(LocalDate.ofEpochDay(segment)) + CHRONICLE_SUFFIX;
  }

  /** The file name of a plain segment. */
  static String plainNameOf(int segment) {
    return "%010d".formatted(segment) + PLAIN_SUFFIX;
  }

  /** The names that the file of a segment may have, for messages about a missing one. */
  static String namesOf(int segment) {
    return plainNameOf(segment) + " or " + chronicleNameOf(segment);
  }

  /** The segment number of a file name of either layout; 0 if it is not a segment's. */
  public static int segmentOf(String fileName) {
    try {
      if (fileName.endsWith(CHRONICLE_SUFFIX)) {
        String day = fileName.substring(0, fileName.length() - CHRONICLE_SUFFIX.length());
        return (int) LocalDate.parse(day, DAY).toEpochDay();
      }
      return isPlain(fileName)
          ? Integer.parseInt(fileName.substring(0, fileName.length() - PLAIN_SUFFIX.length()))
          : 0;
    } catch (DateTimeParseException | NumberFormatException e) {
      return 0;
    }
  }

  private static boolean isPlain(String fileName) {
    return PLAIN_NAME.matcher(fileName).matches();
  }

  /**
   * Checks what the layout of a file has before the first frame. Chronicle's header has no
   * checksum, and nothing relies on it.
   *
   * @throws CorruptJournalException if it was changed
   * @throws JournalVersionException if a newer version of this program wrote the file
   */
  static void check(Path file, int segment, String name) throws IOException {
    if (isPlain(nameOf(file))) {
      FileHeader.check(file, segment, name);
    }
  }

  private static String nameOf(Path file) {
    return file.getFileName().toString();
  }

  /**
   * Moves the files of earlier runs out of Chronicle's reach, and cuts off the zeros at their ends.
   *
   * @return all segments with their files
   * @throws CorruptJournalException if a segment has two files
   */
  static SortedMap<Integer, Path> seal(Path directory) throws IOException {
    Path sealed = directory.resolve(SEALED);
    PrivateFiles.createDirectories(sealed);
    Files.deleteIfExists(directory.resolve(METADATA));
    SortedMap<Integer, Path> moved = list(directory);
    for (Map.Entry<Integer, Path> one : moved.entrySet()) {
      Path file = one.getValue();
      check(file, one.getKey(), "segment %d (%s)".formatted(one.getKey(), file));
    }
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
      files.filter(file -> segmentOf(nameOf(file)) > 0).forEach(file -> add(found, file));
    }
    return found;
  }

  /** Adds the file of a segment that has none yet. */
  private static void add(Map<Integer, Path> known, Path file) {
    int segment = segmentOf(nameOf(file));
    Path other = known.putIfAbsent(segment, file);
    if (other != null) {
      throw new CorruptJournalException(
          "segment %d has two files, %s and %s: move away the one that does not belong to this directory, or restore the directory from a backup"
              .formatted(segment, other, file));
    }
  }

  /**
   * Cuts off the zeros at the end of a file that was being written when its process died, except as
   * many as its last chunk could end in. There are few: the file grew by an extent or by {@link
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
   * may be mapped by a reader, which would fault at a truncated page.
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
