package io.github.stablecut.internal.recovery;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.github.stablecut.file.NativeAccess;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;

/**
 * An advisory lock on a whole file while this is open.
 *
 * <p>On POSIX systems a {@link java.nio.channels.FileLock} belongs to the process: closing any
 * descriptor of the file in the process releases it, even after merely copying the directory. On
 * Linux this is an <em>open file description lock</em> instead ({@link DescriptorLock}), which also
 * conflicts with per-process locks of other processes, and with other openings in the same process
 * by any path. It is a per-process lock on systems without such locks, and where the JVM would
 * print a warning about the native call ({@link NativeAccess#isSilent}). Confined to one thread at
 * a time.
 */
final class OpenFileLock implements AutoCloseable {
  private static final Logger LOG = Log.of(OpenFileLock.class);
  private static final boolean HAS_DESCRIPTOR_LOCKS = hasDescriptorLocks();

  /** Releases the lock. */
  @FunctionalInterface
  private interface Release {
    void run() throws IOException;
  }

  private final Release release;
  private boolean closed;

  private OpenFileLock(Release release) {
    this.release = release;
  }

  private static boolean hasDescriptorLocks() {
    if (!System.getProperty("os.name").equals("Linux") || !NativeAccess.isSilent()) {
      return false;
    }
    try {
      return DescriptorLock.isSupported();
    } catch (LinkageError | RuntimeException e) {
      LOG.warn(
          "directories are locked by process only, because the C library can't be called ({}): the lock"
              + " of a store ends early if this process reads the file LOCK",
          e.toString());
      return false;
    }
  }

  /**
   * Locks an existing file; empty if another lock conflicts.
   *
   * @param isShared whether other shared locks are allowed; then the file is opened for reading
   */
  static Optional<OpenFileLock> tryLock(Path file, boolean isShared) throws IOException {
    return HAS_DESCRIPTOR_LOCKS ? tryDescriptor(file, isShared) : tryProcess(file, isShared);
  }

  private static Optional<OpenFileLock> tryDescriptor(Path file, boolean isShared)
      throws IOException {
    DescriptorLock lock = DescriptorLock.open(file, isShared);
    DescriptorLock.Outcome outcome;
    try {
      outcome = lock.tryLock(file, isShared);
    } catch (IOException e) {
      lock.close();
      throw e;
    }
    if (outcome == DescriptorLock.Outcome.LOCKED) {
      return Optional.of(new OpenFileLock(lock::close));
    }
    lock.close();
    return outcome == DescriptorLock.Outcome.CONFLICTS
        ? Optional.empty()
        : tryProcess(file, isShared);
  }

  /** Takes a per-process lock. Also empty if this process holds one through another path. */
  static Optional<OpenFileLock> tryProcess(Path file, boolean isShared) throws IOException {
    FileChannel channel =
        isShared ? FileChannel.open(file, READ) : FileChannel.open(file, READ, WRITE);
    try {
      if (channel.tryLock(0, Long.MAX_VALUE, isShared) != null) {
        return Optional.of(new OpenFileLock(channel::close));
      }
    } catch (OverlappingFileLockException e) {
      // Treated as if another process held it.
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
    channel.close();
    return Optional.empty();
  }

  /** Releases the lock. Idempotent: a reused descriptor is never closed. */
  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      release.run();
    }
  }
}
