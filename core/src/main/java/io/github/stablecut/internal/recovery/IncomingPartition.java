package io.github.stablecut.internal.recovery;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.github.stablecut.file.DiskSpace;
import io.github.stablecut.file.FileTrees;
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
 * An incomplete copy of a partition that another node owns ({@link MovedPartitions}). Files only
 * grow. Confined to one thread.
 */
public final class IncomingPartition {
  private final Path directory;

  /** The files written since the last {@link #force}. */
  private final Set<Path> unforced = new HashSet<>();

  IncomingPartition(Path directory) {
    this.directory = directory;
  }

  void create() throws IOException {
    for (String folder : PartitionImage.FOLDERS) {
      PrivateFiles.createDirectories(directory.resolve(folder));
    }
  }

  /** The copied length of a file. */
  public long length(String name) throws IOException {
    Path file = PartitionImage.resolve(directory, name);
    return Files.exists(file) ? Files.size(file) : 0;
  }

  /** Appends to a file. */
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

  /** Makes appended bytes durable. */
  public void force() throws IOException {
    for (Path file : unforced) {
      try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
        channel.force(true);
      }
    }
    unforced.clear();
  }

  /** Deletes all files that are not wanted, or are longer than wanted. */
  public void keepOnly(Collection<CopiedFile> listed) throws IOException {
    Set<Path> kept = new HashSet<>();
    for (CopiedFile file : listed) {
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
   * Durably marks the copy as complete.
   *
   * @param from the move, and the current owner
   */
  public void complete(MoveMark from) throws IOException {
    force();
    for (String folder : PartitionImage.FOLDERS) {
      PrivateFiles.forceDirectory(directory.resolve(folder));
    }
    PrivateFiles.replace(directory, MovedPartitions.MOVE, from.toText());
    Path parent = directory.toAbsolutePath().getParent();
    if (parent != null) {
      PrivateFiles.forceDirectory(parent);
    }
  }

  /** Deletes the copy, starting with the mark of completeness. */
  public void discard() throws IOException {
    Files.deleteIfExists(directory.resolve(MovedPartitions.MOVE));
    FileTrees.delete(directory);
  }

  /** The free bytes on the disk. */
  public long usableBytes() throws IOException {
    return DiskSpace.usableBytes(directory);
  }
}
