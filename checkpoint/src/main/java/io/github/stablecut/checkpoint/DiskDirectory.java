package io.github.stablecut.checkpoint;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import io.github.stablecut.file.DiskSpace;
import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A directory on a disk. Thread-safe.
 *
 * <p>A view is a memory map of the file, which Java before 22 can't unmap. It stays until the
 * garbage collector finds it, which may take days, and pins the blocks of a deleted file. {@link
 * #delete} therefore first truncates a file that was created here to zero, which frees its blocks
 * whatever is still mapped; only address space stays in use. It doesn't truncate a file with a
 * second name, such as a backup's hard link. Nor does it truncate a file that existed before:
 * values read when the directory was last open may still need it.
 */
public final class DiskDirectory implements Directory {
  private static final int PIECE_SHIFT = 30;

  private final Path directory;

  /** The names of the files that were created here. */
  private final Set<String> created = ConcurrentHashMap.newKeySet();

  private DiskDirectory(Path directory) {
    this.directory = directory;
  }

  /** The directory at a path; creates it and its parents durably if it doesn't exist. */
  public static DiskDirectory open(Path directory) throws IOException {
    PrivateFiles.createDirectories(directory);
    return new DiskDirectory(directory);
  }

  /**
   * The directory at a path, for reading; creates nothing.
   *
   * @throws NoSuchFileException if there is none
   */
  public static DiskDirectory existing(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new NoSuchFileException(directory.toString(), null, "the directory is missing");
    }
    return new DiskDirectory(directory);
  }

  @Override
  public List<String> list() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> file.getFileName().toString())
          .sorted()
          .toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Override
  public String pathOf(String name) {
    return directory.resolve(name).toString();
  }

  @Override
  public FileAppender create(String name) throws IOException {
    FileChannel channel = PrivateFiles.open(directory.resolve(name), CREATE_NEW, WRITE);
    created.add(name);
    return new Appender(channel);
  }

  private record Appender(FileChannel channel) implements FileAppender {
    @Override
    public void append(byte[] source, int from, int length) throws IOException {
      ByteBuffer bytes = ByteBuffer.wrap(source, from, length);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }

    @Override
    public void force() throws IOException {
      channel.force(false);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  /** A file open for reading. */
  private record Channel(FileChannel channel) implements FirstTouchReader.Source {
    @Override
    public int read(ByteBuffer target, long at) throws IOException {
      return channel.read(target, at);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  @Override
  public FileView view(String name) throws IOException {
    FileChannel channel = FileChannel.open(directory.resolve(name), READ);
    try {
      long length = channel.size();
      ByteBuffer[] pieces = new ByteBuffer[(int) (((length - 1) >> PIECE_SHIFT) + 1)];
      for (int i = 0; i < pieces.length; i++) {
        long start = (long) i << PIECE_SHIFT;
        pieces[i] =
            channel.map(MapMode.READ_ONLY, start, Math.min(length - start, 1L << PIECE_SHIFT));
      }
      return new FileView(
          pieces,
          PIECE_SHIFT,
          length,
          new FirstTouchReader(pathOf(name), new Channel(channel), length));
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public boolean link(String name, Path target) {
    try {
      Files.createLink(target, directory.resolve(name));
      return true;
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Files.move(directory.resolve(from), directory.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    if (created.remove(from)) {
      created.add(to);
    } else {
      created.remove(to);
    }
  }

  @Override
  public void delete(String name) throws IOException {
    Path file = directory.resolve(name);
    if (created.remove(name) && isOnlyName(file)) {
      FileChannel.open(file, WRITE, TRUNCATE_EXISTING).close();
    }
    Files.delete(file);
  }

  private static boolean isOnlyName(Path file) throws IOException {
    try {
      return Files.getAttribute(file, "unix:nlink") instanceof Integer links && links == 1;
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      return false;
    }
  }

  @Override
  public void force() throws IOException {
    PrivateFiles.forceDirectory(directory);
  }

  @Override
  public long usableBytes() throws IOException {
    return DiskSpace.usableBytes(directory);
  }

  @Override
  public String toString() {
    return directory.toString();
  }
}
