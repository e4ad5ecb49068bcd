package io.github.stablecut.internal.recovery;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.github.stablecut.StoreInUseException;
import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The claim of one process on a store's directory: an advisory lock on the file {@value #FILE},
 * which holds the process's id and stays behind. The operating system lets go of it when the
 * process ends, however it ends. Those who only read share the lock with each other, and write
 * nothing. Thread-safe.
 */
public final class DirectoryLock implements AutoCloseable {
  static final String FILE = "LOCK";

  private static final int MAX_PID_BYTES = 20;

  /**
   * The directories locked by this process. An advisory lock is the process's, and closing any
   * channel of the file would let go of it, so a second attempt must not even open the file.
   */
  private static final Set<Path> OURS = ConcurrentHashMap.newKeySet();

  private final Path directory;

  /** Null if there is no file to lock. */
  private final @Nullable FileChannel channel;

  private DirectoryLock(Path directory, @Nullable FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  /**
   * Locks a directory that exists.
   *
   * @throws StoreInUseException if it is locked; the message names the process
   */
  static DirectoryLock acquire(Path directory) throws IOException {
    Path real = directory.toRealPath();
    if (!OURS.add(real)) {
      throw inUse(directory, "this process, pid " + ProcessHandle.current().pid());
    }
    FileChannel channel = null;
    try {
      channel = PrivateFiles.open(real.resolve(FILE), CREATE, READ, WRITE);
      if (channel.tryLock() == null) {
        throw inUse(directory, "another process, " + owner(channel));
      }
      byte[] pid = Long.toString(ProcessHandle.current().pid()).getBytes(US_ASCII);
      var unused = channel.truncate(0).write(ByteBuffer.wrap(pid), 0);
      return new DirectoryLock(real, channel);
    } catch (IOException | RuntimeException e) {
      closeQuietly(channel, e);
      OURS.remove(real);
      throw e;
    }
  }

  /**
   * Locks a directory that exists for reading; it may be one that can't be written to. Where nobody
   * has ever locked it, there is nothing to lock.
   *
   * @throws StoreInUseException if it is locked for writing; the message names the process
   */
  static DirectoryLock acquireShared(Path directory) throws IOException {
    Path real = directory.toRealPath();
    if (!OURS.add(real)) {
      throw inUse(directory, "this process, pid " + ProcessHandle.current().pid());
    }
    FileChannel channel = null;
    try {
      if (!Files.exists(real.resolve(FILE))) {
        return new DirectoryLock(real, null);
      }
      channel = FileChannel.open(real.resolve(FILE), READ);
      if (channel.tryLock(0, Long.MAX_VALUE, true) == null) {
        throw inUse(directory, "another process, " + owner(channel));
      }
      return new DirectoryLock(real, channel);
    } catch (IOException | RuntimeException e) {
      closeQuietly(channel, e);
      OURS.remove(real);
      throw e;
    }
  }

  private static void closeQuietly(@Nullable FileChannel channel, Exception cause) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  /** The process in the file, unless that has ended: who only reads does not write its name. */
  private static String owner(FileChannel channel) throws IOException {
    ByteBuffer pid = ByteBuffer.allocate(MAX_PID_BYTES);
    int length = channel.read(pid, 0);
    String text = length > 0 ? new String(pid.array(), 0, length, US_ASCII) : "";
    boolean lives =
        text.matches("[0-9]{1,18}") && ProcessHandle.of(Long.parseLong(text)).isPresent();
    return lives ? "pid " + text : "which reads it only";
  }

  private static StoreInUseException inUse(Path directory, String by) {
    return new StoreInUseException(
        "the store in "
            + directory
            + " is open in "
            + by
            + ": close it there, or use another directory");
  }

  @Override
  public void close() {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException("lock of " + directory, e);
    } finally {
      OURS.remove(directory);
    }
  }
}
