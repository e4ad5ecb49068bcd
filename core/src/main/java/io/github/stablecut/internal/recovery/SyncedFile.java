package io.github.stablecut.internal.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.DiskDirectory;
import io.github.stablecut.checkpoint.FileAppender;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.journal.JournalOptions;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;

/**
 * The file {@value #FILE} of a store with several partitions whose commits are acknowledged before
 * they are synced. It records how far the journals of all partitions were last synced
 * <em>together</em>. A crash of the machine may leave more of one journal and less of another.
 * Records at or after these ends are then discarded ({@link #end}), so that all partitions resume
 * from one point in time.
 *
 * <pre>
 *   stablecut synced
 *   format=1
 *   boot=0b5c4f1e-6a0f-4b0c-9d0a-1f2e3d4c5b6a
 *   p0=4712
 *   p1=3
 *   crc32c=1c2f9a07
 * </pre>
 *
 * <p>{@code boot} is the boot of the machine ({@link MachineBoot}) in which the store was open:
 * within the same boot nothing written is lost, and nothing is cut off. {@code p0} is the number of
 * the first record of partition 0 that was not synced together with those of the other partitions;
 * all records before it must exist. The last line is the CRC32C of all bytes before it.
 *
 * <p>The file exists while such a store is open, and after an unclean close; without it all of the
 * journals is valid. Each write replaces it durably. Confined to one thread at a time.
 */
public final class SyncedFile {
  /** The name of the file. */
  public static final String FILE = "SYNCED";

  private static final String UNFINISHED = FILE + ".new";
  private static final String FIRST_LINE = "stablecut synced";
  private static final int FORMAT = 1;
  private static final int MAX_BYTES = 1 << 16;
  private static final String BOOT = "boot";

  private final Directory directory;
  private final String boot;

  private SyncedFile(Directory directory, String boot) {
    this.directory = directory;
    this.boot = boot;
  }

  /**
   * The file in a directory.
   *
   * @param boot identifies the boot of the machine: in another boot, unforced data may be lost
   */
  public static SyncedFile in(Directory directory, String boot) {
    return new SyncedFile(directory, boot);
  }

  /** The file in the locked directory of a store. */
  static SyncedFile in(Path directory, DirectoryLock lock) throws IOException {
    return in(new FencedDirectory(DiskDirectory.existing(directory), lock), MachineBoot.current());
  }

  /** The file in the directory of a store, for reading. */
  static SyncedFile existing(Path directory) throws IOException {
    return in(DiskDirectory.existing(directory), MachineBoot.current());
  }

  /**
   * The record at which to cut off the journal of a partition before it is read.
   *
   * @return the number of the first record to discard; {@link JournalOptions#WHOLE} if all are
   *     valid
   * @throws CorruptStoreException if the file is damaged
   * @throws StoreIoException if it can't be read
   */
  public long end(int partition) {
    try {
      String text = new String(directory.read(FILE, MAX_BYTES), UTF_8);
      return end(CheckedText.fields(text), text, "p" + partition);
    } catch (NoSuchFileException e) {
      return JournalOptions.WHOLE;
    } catch (IOException e) {
      throw new StoreIoException(
          "%s can't be read: %s; remove the cause, and open the store again"
              .formatted(path(), IoReason.of(e)),
          e);
    }
  }

  private long end(Map<String, String> fields, String text, String partition) {
    CheckedText.checkFormat(fields, FORMAT, path());
    String next = fields.getOrDefault(partition, "");
    boolean isWhole = text.startsWith(FIRST_LINE + "\n") && CheckedText.isWhole(text);
    if (!isWhole || !next.matches("[1-9][0-9]{0,17}")) {
      throw new CorruptStoreException(
          "%s is damaged: if this machine has not restarted since the store was last open, delete the file; otherwise restore the store from a backup"
              .formatted(path()));
    }
    return boot.equals(fields.get(BOOT)) ? JournalOptions.WHOLE : Long.parseLong(next);
  }

  private String path() {
    return directory.pathOf(FILE);
  }

  /**
   * Records how far the journals are synced together; durable when this returns.
   *
   * @param next by partition, the number of the first record that is not synced together
   */
  public void write(long[] next) throws IOException {
    StringBuilder text = new StringBuilder(FIRST_LINE + "\nformat=" + FORMAT + "\n");
    text.append(BOOT).append('=').append(boot).append('\n');
    for (int number = 0; number < next.length; number++) {
      text.append('p').append(number).append('=').append(next[number]).append('\n');
    }
    byte[] content = CheckedText.seal(text.toString()).getBytes(UTF_8);
    try (FileAppender unfinished = create()) {
      unfinished.append(content, 0, content.length);
      unfinished.force();
    }
    directory.rename(UNFINISHED, FILE);
    directory.force();
  }

  private FileAppender create() throws IOException {
    try {
      return directory.create(UNFINISHED);
    } catch (FileAlreadyExistsException e) {
      // A crash left an incomplete file.
      directory.delete(UNFINISHED);
      return directory.create(UNFINISHED);
    }
  }

  /** Records that all of the journals is synced; durable when this returns. */
  public void delete() throws IOException {
    if (directory.list().contains(FILE)) {
      directory.delete(FILE);
      directory.force();
    }
  }
}
