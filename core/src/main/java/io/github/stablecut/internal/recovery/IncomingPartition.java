package io.github.stablecut.internal.recovery;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.github.stablecut.file.DiskSpace;
import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.internal.recovery.PartitionImage.CopiedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A copy of a partition that another node owns, while it is made ({@link MovedPartitions}). Files
 * only grow. Confined to one thread.
 */
public final class IncomingPartition {
  private final Path directory;

  /** What was written since it was forced. */
  private final Set<Path> unforced = new HashSet<>();

  IncomingPartition(Path directory) {
    this.directory = directory;
  }

  void create() throws IOException {
    for (String folder : PartitionImage.FOLDERS) {
      PrivateFiles.createDirectories(directory.resolve(folder));
    }
  }

  /** How much there is of a file. */
  public long length(String name) throws IOException {
    Path file = PartitionImage.resolve(directory, name);
    return Files.exists(file) ? Files.size(file) : 0;
  }

  /** Adds to a file. */
  public void append(String name, byte[] bytes) throws IOException {
    Path file = PartitionImage.resolve(directory, name);
    try (FileChannel channel = PrivateFiles.open(file, CREATE, WRITE)) {
      ByteBuffer source = ByteBuffer.wrap(bytes);
      long at = channel.size();
      while (source.hasRemaining()) {
        at += channel.write(source, at);
      }
    }
    unforced.add(file);
  }

  /** Makes durable what was added. */
  public void force() throws IOException {
    for (Path file : unforced) {
      try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
        channel.force(true);
      }
    }
    unforced.clear();
  }

  /** Deletes all files but some, and what is longer than it should be. */
  public void keepOnly(Collection<CopiedFile> wanted) throws IOException {
    Set<Path> kept = new HashSet<>();
    for (CopiedFile file : wanted) {
      if (length(file.name()) <= file.bytes()) {
        kept.add(PartitionImage.resolve(directory, file.name()));
      }
    }
    for (Path file : files()) {
      if (!kept.contains(file)) {
        Files.delete(file);
        unforced.remove(file);
      }
    }
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile).collect(Collectors.toCollection(ArrayList::new));
    }
  }

  /**
   * Says, durably, that all is there.
   *
   * @param from the move, and who owns the partition still
   */
  public void complete(MoveMark from) throws IOException {
    force();
    for (String folder : PartitionImage.FOLDERS) {
      PrivateFiles.forceDirectory(directory.resolve(folder));
    }
    StoreDirectory.replace(directory, MovedPartitions.MOVE, from.toText());
    Path parent = directory.toAbsolutePath().getParent();
    if (parent != null) {
      PrivateFiles.forceDirectory(parent);
    }
  }

  /** Deletes it; first what says that it is complete. */
  public void discard() throws IOException {
    Files.deleteIfExists(directory.resolve(MovedPartitions.MOVE));
    StoreDirectory.deleteTree(directory);
  }

  /** The bytes that can still be written before the disk is full. */
  public long usableBytes() throws IOException {
    return DiskSpace.usableBytes(directory);
  }
}
