package io.github.stablecut.internal.recovery;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Native;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * An open file description lock of Linux ({@code F_OFD_SETLK} in fcntl(2)). It lasts until its own
 * descriptor is closed or the process ends. Confined to one thread at a time.
 *
 * <p>Its initialization throws a {@link LinkageError} or a {@link RuntimeException} where the C
 * library can't be called.
 */
final class DescriptorLock implements AutoCloseable {
  private static final LibC SYSTEM = load();

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

  /** The outcome of an attempt to lock a file. */
  enum Outcome {
    LOCKED,
    CONFLICTS,
    /** The file system has no such locks. */
    UNSUPPORTED
  }

  private final int descriptor;

  private DescriptorLock(int descriptor) {
    this.descriptor = descriptor;
  }

  private static LibC load() {
    // Keeps JNA from unpacking its library into the home directory.
    System.getProperties().putIfAbsent("jna.tmpdir", System.getProperty("java.io.tmpdir"));
    return Native.load("c", LibC.class);
  }

  /** Whether this machine has the structures of 64-bit systems. */
  static boolean isSupported() {
    return Native.POINTER_SIZE == Long.BYTES;
  }

  /** Opens an existing file. */
  static DescriptorLock open(Path file, boolean isShared) throws IOException {
    try {
      return new DescriptorLock(
          SYSTEM.open(nativePath(file), (isShared ? O_RDONLY : O_RDWR) | O_CLOEXEC));
    } catch (LastErrorException e) {
      throw new IOException(file + " can't be opened: " + e.getMessage(), e);
    }
  }

  /**
   * Locks the whole file; if it doesn't, the caller closes this.
   *
   * @param isShared as for {@link #open}
   */
  Outcome tryLock(Path file, boolean isShared) throws IOException {
    try {
      SYSTEM.fcntl(descriptor, F_OFD_SETLK, wholeFile(isShared ? F_RDLCK : F_WRLCK));
      return Outcome.LOCKED;
    } catch (LastErrorException e) {
      return switch (e.getErrorCode()) {
        case EAGAIN, EACCES -> Outcome.CONFLICTS;
        case EINVAL -> Outcome.UNSUPPORTED;
        default -> throw new IOException(file + " can't be locked: " + e.getMessage(), e);
      };
    }
  }

  private static byte[] wholeFile(short type) {
    byte[] flock = new byte[FLOCK_BYTES];
    ByteBuffer.wrap(flock).order(ByteOrder.nativeOrder()).putShort(0, type);
    return flock;
  }

  /** Encodes a path as a null-terminated C string. */
  private static byte[] nativePath(Path path) {
    Charset names = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
    byte[] bytes = path.toString().getBytes(names);
    return Arrays.copyOf(bytes, bytes.length + 1);
  }

  @Override
  public void close() throws IOException {
    try {
      SYSTEM.close(descriptor);
    } catch (LastErrorException e) {
      throw new IOException("a lock file can't be closed: " + e.getMessage(), e);
    }
  }
}
