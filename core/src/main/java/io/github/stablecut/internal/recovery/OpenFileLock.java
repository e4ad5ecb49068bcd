package io.github.stablecut.internal.recovery;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Native;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.slf4j.Logger;

/**
 * An advisory lock on a whole file while this is open.
 *
 * <p>On POSIX systems a {@link java.nio.channels.FileLock} belongs to the process: closing any
 * descriptor of the file in the process releases it, even after merely copying the directory. On
 * Linux this is an <em>open file description lock</em> instead ({@code F_OFD_SETLK} in fcntl(2)),
 * which lasts until its own descriptor is closed or the process ends. It also conflicts with
 * per-process locks of other processes, and with other openings in the same process by any path. On
 * systems without such locks it is a per-process lock. Confined to one thread at a time.
 */
final class OpenFileLock implements AutoCloseable {
  private static final Logger LOG = Log.of(OpenFileLock.class);
  private static final Optional<LibC> SYSTEM = load();

  private static final int O_RDONLY = 0;
  private static final int O_RDWR = 2;
  private static final int O_CLOEXEC = 1 << 19;
  private static final int F_OFD_SETLK = 37;
  private static final short F_RDLCK = 0;
  private static final short F_WRLCK = 1;

  /** The size of {@code struct flock} on 64-bit systems; the type is its first field. */
  private static final int FLOCK_BYTES = 32;

  private static final int EAGAIN = 11;
  private static final int EACCES = 13;
  private static final int EINVAL = 22;

  /** Functions of the C library, bound by name. */
  interface LibC extends Library {
    int open(byte[] path, int flags) throws LastErrorException;

    @CanIgnoreReturnValue
    int fcntl(int descriptor, int command, byte[] argument) throws LastErrorException;

    @CanIgnoreReturnValue
    int close(int descriptor) throws LastErrorException;
  }

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

  private static Optional<LibC> load() {
    if (!System.getProperty("os.name").equals("Linux")) {
      return Optional.empty();
    }
    // Keeps JNA from unpacking its library into the home directory.
    System.getProperties().putIfAbsent("jna.tmpdir", System.getProperty("java.io.tmpdir"));
    try {
      LibC library = Native.load("c", LibC.class);
      return Native.POINTER_SIZE == Long.BYTES ? Optional.of(library) : Optional.empty();
    } catch (LinkageError | RuntimeException e) {
      LOG.warn(
          "directories are locked by process only, because the C library can't be called ({}): the lock"
              + " of a store ends early if this process reads the file LOCK",
          e.toString());
      return Optional.empty();
    }
  }

  /**
   * Locks an existing file; empty if another lock conflicts.
   *
   * @param isShared whether other shared locks are allowed; then the file is opened for reading
   */
  static Optional<OpenFileLock> tryLock(Path file, boolean isShared) throws IOException {
    return SYSTEM.isPresent()
        ? tryDescription(SYSTEM.get(), file, isShared)
        : tryProcess(file, isShared);
  }

  private static Optional<OpenFileLock> tryDescription(LibC system, Path file, boolean isShared)
      throws IOException {
    int descriptor;
    try {
      descriptor = system.open(nativePath(file), (isShared ? O_RDONLY : O_RDWR) | O_CLOEXEC);
    } catch (LastErrorException e) {
      throw new IOException(file + " can't be opened: " + e.getMessage(), e);
    }
    try {
      system.fcntl(descriptor, F_OFD_SETLK, wholeFile(isShared ? F_RDLCK : F_WRLCK));
      return Optional.of(new OpenFileLock(() -> close(system, descriptor)));
    } catch (LastErrorException e) {
      close(system, descriptor);
      if (e.getErrorCode() == EAGAIN || e.getErrorCode() == EACCES) {
        return Optional.empty();
      }
      if (e.getErrorCode() == EINVAL) {
        return tryProcess(file, isShared);
      }
      throw new IOException(file + " can't be locked: " + e.getMessage(), e);
    }
  }

  private static byte[] wholeFile(short type) {
    byte[] flock = new byte[FLOCK_BYTES];
    ByteBuffer unused = ByteBuffer.wrap(flock).order(ByteOrder.nativeOrder()).putShort(0, type);
    return flock;
  }

  private static void close(LibC system, int descriptor) throws IOException {
    try {
      system.close(descriptor);
    } catch (LastErrorException e) {
      throw new IOException("a lock file can't be closed: " + e.getMessage(), e);
    }
  }

  /** Encodes a path as a null-terminated C string. */
  private static byte[] nativePath(Path path) {
    Charset names = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
    byte[] bytes = path.toString().getBytes(names);
    return Arrays.copyOf(bytes, bytes.length + 1);
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
