package io.github.stablecut.internal.recovery;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.github.stablecut.checkpoint.CheckpointFiles;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.journal.JournalDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A consistent image of the files of an open store or node, in another directory: hard links, and
 * copies of files that still change. It can be read like a closed store; a journal may end in the
 * middle of a record. For the process that has the store open.
 */
public final class OpenStoreImage {
  private static final int ATTEMPTS = 20;
  private static final int BLOCK_BYTES = 1 << 16;
  private static final ByteBuffer ZEROS = ByteBuffer.allocate(BLOCK_BYTES).asReadOnlyBuffer();
  private static final Set<String> NOT_COPIED =
      Set.of(DirectoryLock.FILE, StoreDirectory.OPERATORS, StoreDirectory.SESSIONS);

  private OpenStoreImage() {}

  /**
   * Creates the image.
   *
   * @param directory the directory of the store
   * @param image a new directory on the same disk
   */
  public static void make(Path directory, Path image) throws IOException {
    PrivateFiles.createDirectory(image);
    copyFiles(directory, image);
    for (int number : NodeDirectory.numbers(directory)) {
      Path partition = StoreDirectory.partitionOf(directory, number);
      makePartition(partition, StoreDirectory.partitionOf(image, number));
    }
  }

  /**
   * Retries until the current checkpoint, and with it the deletable files, didn't change meanwhile.
   */
  private static void makePartition(Path partition, Path image) throws IOException {
    Path current = StoreDirectory.checkpointsIn(partition).resolve(CheckpointFiles.CURRENT);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      byte[] counts = read(current);
      FileTrees.delete(image);
      for (String folder : PartitionImage.FOLDERS) {
        PrivateFiles.createDirectories(image.resolve(folder));
      }
      copyFiles(partition, image);
      Path checkpoints = StoreDirectory.checkpointsIn(image);
      linkFiles(files(StoreDirectory.checkpointsIn(partition)), checkpoints);
      if (counts.length > 0) {
        Files.write(checkpoints.resolve(CheckpointFiles.CURRENT), counts);
      }
      takeSegments(StoreDirectory.journalIn(partition), StoreDirectory.journalIn(image));
      linkFiles(files(partition.resolve("journal/sealed")), image.resolve("journal/sealed"));
      if (Arrays.equals(counts, read(current))) {
        return;
      }
    }
    throw new IOException("checkpoints follow each other too fast for an image: retry");
  }

  private static byte[] read(Path file) throws IOException {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      return new byte[0];
    }
  }

  private static List<Path> files(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  private static void copyFiles(Path from, Path to) throws IOException {
    for (Path file : files(from)) {
      String name = nameOf(file);
      if (!NOT_COPIED.contains(name) && !name.endsWith(".new")) {
        try {
          Files.copy(file, to.resolve(name));
        } catch (NoSuchFileException e) {
          // Deleted meanwhile, so no longer needed.
        }
      }
    }
  }

  /** Copies the segment being written, and links the earlier ones. */
  private static void takeSegments(Path from, Path to) throws IOException {
    List<Path> segments =
        files(from).stream()
            .filter(OpenStoreImage::isSegment)
            .sorted(Comparator.comparingInt(OpenStoreImage::segmentOf))
            .toList();
    if (!segments.isEmpty()) {
      int last = segments.size() - 1;
      copyBackwards(segments.get(last), to.resolve(nameOf(segments.get(last))));
      linkFiles(segments.subList(0, last), to);
    }
  }

  private static boolean isSegment(Path file) {
    return segmentOf(file) > 0;
  }

  private static int segmentOf(Path file) {
    return JournalDirectory.segmentOf(nameOf(file));
  }

  private static String nameOf(Path file) {
    return file.getFileName().toString();
  }

  /**
   * Copies a file that is being written from front to back, the end first. So the copy has
   * everything written before any byte in it.
   */
  private static void copyBackwards(Path from, Path to) throws IOException {
    try (FileChannel source = FileChannel.open(from, READ);
        FileChannel target = PrivateFiles.open(to, CREATE_NEW, WRITE)) {
      long length = source.size();
      ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
      for (long at = (length - 1) / BLOCK_BYTES * BLOCK_BYTES; at >= 0; at -= BLOCK_BYTES) {
        int count = (int) Math.min(BLOCK_BYTES, length - at);
        block.clear().limit(count);
        while (block.hasRemaining() && source.read(block, at + block.position()) >= 0) {
          // Until the block is full.
        }
        block.flip();
        boolean isLast = at + count == length;
        if (isLast || block.mismatch(ZEROS.duplicate().limit(block.limit())) >= 0) {
          while (block.hasRemaining()) {
            target.write(block, at + block.position());
          }
        }
      }
    }
  }

  /** Links complete files. */
  private static void linkFiles(List<Path> all, Path to) throws IOException {
    for (Path file : all) {
      String name = nameOf(file);
      if (isSegment(file) || name.matches("(MANIFEST|run|hist)-[0-9]+")) {
        try {
          Files.createLink(to.resolve(name), file);
        } catch (NoSuchFileException | FileAlreadyExistsException e) {
          // Deleted meanwhile, so no longer needed.
        }
      }
    }
  }
}
