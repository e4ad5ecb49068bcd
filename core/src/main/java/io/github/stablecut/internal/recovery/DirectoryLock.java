package io.github.stablecut.internal.recovery;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The lock on a store's directory: a lock on the file {@value #FILE} ({@link OpenFileLock}), which
 * is never deleted. The operating system releases the lock when the process ends, however it ends.
 * Readers share the lock and write nothing. Thread-safe.
 *
 * <pre>
 *   4711                     the process id, for people
 *   owner=5b1e0c4f77aa9012   a random number of this opening
 * </pre>
 *
 * <p>A lock can still be lost: if {@value #FILE} is deleted, or on systems that only have
 * per-process locks. So the owner line is a fencing token: a process that opens the directory for
 * writing first writes the line durably and then reads the journal. A writer calls {@link #check}
 * after each write to the journal, before it acknowledges the write or deletes anything.
 *
 * <p>Invariant: every acknowledged write precedes the next owner's line, so the next owner reads
 * it.
 */
public final class DirectoryLock implements AutoCloseable {
  static final String FILE = "LOCK";

  private static final int MAX_BYTES = 100;
  private static final SecureRandom RANDOM = new SecureRandom();

  /**
   * The lock files that this process has locked, by {@link BasicFileAttributes#fileKey}, which does
   * not depend on the path. A second attempt that opened and closed the file would release a
   * per-process lock.
   */
  private static final Set<Object> OURS = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final Path file;
  private final Object key;
  private final OpenFileLock lock;

  /**
   * The open file, to read its content without opening it again. No channel: an interrupt of a
   * thread that checks would close that.
   */
  private final RandomAccessFile content;

  /** The content that this lock wrote: empty if it is a read lock. */
  private final String claim;

  private final AtomicBoolean closed = new AtomicBoolean();

  /** The file's attributes when its content was last verified. */
  private volatile FileStamp seen;

  /** The attributes of a file. A change of its content changes the time. */
  private record FileStamp(@Nullable Object key, FileTime modified) {
    static FileStamp of(Path file) throws IOException {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return new FileStamp(attributes.fileKey(), attributes.lastModifiedTime());
    }
  }

  private DirectoryLock(Path directory, Object key, OpenFileLock lock, ClaimFile claimed) {
    this.directory = directory;
    this.file = directory.resolve(FILE);
    this.key = key;
    this.lock = lock;
    this.content = claimed.content;
    this.claim = claimed.claim;
    this.seen = claimed.seen;
  }

  private record ClaimFile(RandomAccessFile content, String claim, FileStamp seen) {}

  /**
   * Locks an existing directory.
   *
   * @throws StoreInUseException if it is locked; the message names the process
   */
  static DirectoryLock acquire(Path directory) throws IOException {
    Path real = directory.toRealPath();
    if (!Files.exists(real.resolve(FILE))) {
      PrivateFiles.open(real.resolve(FILE), CREATE, WRITE).close();
    }
    return acquire(directory, real, false);
  }

  /**
   * Locks an existing directory for reading, even if it is not writable. Empty if it was never
   * locked for writing, so that there is no lock file.
   *
   * @throws StoreInUseException if it is locked for writing; the message names the process
   */
  static Optional<DirectoryLock> acquireShared(Path directory) throws IOException {
    Path real = directory.toRealPath();
    return Files.exists(real.resolve(FILE))
        ? Optional.of(acquire(directory, real, true))
        : Optional.empty();
  }

  private static DirectoryLock acquire(Path directory, Path real, boolean isShared)
      throws IOException {
    Path file = real.resolve(FILE);
    Object key =
        Objects.requireNonNullElse(
            Files.readAttributes(file, BasicFileAttributes.class).fileKey(), file);
    if (!OURS.add(key)) {
      throw inUse(directory, "this process, pid " + ProcessHandle.current().pid());
    }
    @Nullable OpenFileLock lock = null;
    try {
      lock =
          OpenFileLock.tryLock(file, isShared)
              .orElseThrow(() -> inUse(directory, "another process, " + holder(file, isShared)));
      return new DirectoryLock(real, key, lock, isShared ? observe(file) : claim(file));
    } catch (IOException | RuntimeException e) {
      closeQuietly(lock, e);
      OURS.remove(key);
      throw e;
    }
  }

  private static ClaimFile observe(Path file) throws IOException {
    return new ClaimFile(new RandomAccessFile(file.toFile(), "r"), "", FileStamp.of(file));
  }

  private static ClaimFile claim(Path file) throws IOException {
    RandomAccessFile content = new RandomAccessFile(file.toFile(), "rw");
    try {
      String claim =
          "%d\nowner=%s\n"
              .formatted(
                  ProcessHandle.current().pid(), HexFormat.of().toHexDigits(RANDOM.nextLong()));
      content.setLength(0);
      content.write(claim.getBytes(US_ASCII));
      content.getFD().sync();
      return new ClaimFile(content, claim, FileStamp.of(file));
    } catch (IOException | RuntimeException e) {
      content.close();
      throw e;
    }
  }

  /**
   * Checks that no other process has opened the directory for writing since this lock was acquired,
   * and that the directory is still in place. Takes one system call while nothing changes.
   *
   * @throws IOException if it has another owner or was deleted: the caller must not acknowledge or
   *     delete anything afterwards
   */
  public void check() throws IOException {
    FileStamp now;
    try {
      now = FileStamp.of(file);
    } catch (NoSuchFileException | NotDirectoryException e) {
      throw new FileSystemException(
          directory.toString(),
          null,
          "the file LOCK is missing, so the directory was moved, renamed or deleted, or another"
              + " process may have opened it since");
    }
    if (!now.equals(seen)) {
      checkContent(now);
      seen = now;
    }
  }

  private void checkContent(FileStamp now) throws IOException {
    String found;
    if (Objects.equals(now.key, seen.key)) {
      found = read(content);
    } else {
      try (RandomAccessFile other = new RandomAccessFile(file.toFile(), "r")) {
        found = read(other);
      }
    }
    if (!found.equals(claim)) {
      throw new FileSystemException(
          directory.toString(),
          null,
          "another process, %s, has opened the directory though this one had it open; what was not acknowledged before that is not part of the store"
              .formatted(pid(found)));
    }
  }

  private static String read(RandomAccessFile open) throws IOException {
    byte[] bytes = new byte[MAX_BYTES];
    synchronized (open) {
      open.seek(0);
      int length = open.read(bytes);
      return length <= 0 ? "" : new String(bytes, 0, length, US_ASCII);
    }
  }

  private static String pid(String content) {
    String first = content.lines().findFirst().orElse("");
    return "pid " + (first.matches("[0-9]{1,18}") ? first : "unknown");
  }

  /** The holder of the conflicting lock; only a writer conflicts with a reader. */
  private static String holder(Path file, boolean isShared) {
    try {
      Optional<OpenFileLock> readers =
          isShared ? Optional.empty() : OpenFileLock.tryLock(file, true);
      if (readers.isPresent()) {
        readers.get().close();
        return "which only reads it";
      }
      try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "r")) {
        return pid(read(content));
      }
    } catch (IOException e) {
      return "pid unknown";
    }
  }

  private static void closeQuietly(@Nullable OpenFileLock lock, Exception cause) {
    try {
      if (lock != null) {
        lock.close();
      }
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  private static StoreInUseException inUse(Path directory, String by) {
    return new StoreInUseException(
        "the store in "
            + directory
            + " is open in "
            + by
            + ": close it there, or use another directory");
  }

  /** Releases the lock; a second time does nothing. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try (lock;
        content) {
      // Closes both even if one of them throws.
    } catch (IOException e) {
      throw new UncheckedIOException("lock of " + directory, e);
    } finally {
      OURS.remove(key);
    }
  }
}
