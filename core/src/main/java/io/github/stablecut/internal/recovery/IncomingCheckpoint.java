package io.github.stablecut.internal.recovery;

import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;

/**
 * A checkpoint of another replica, which replaces a replica's own checkpoints and journal. Its
 * files are in {@code p2/incoming/} until they are complete. Confined to the replica's thread.
 *
 * <p>{@code p2/INSTALL} is the commit point: once it exists, the replica opens only after the
 * checkpoint has replaced the old one, and an empty journal the old journal. Each step can be
 * repeated after a crash.
 *
 * <pre>
 *   stablecut install
 *   format=1
 *   first=51204        the number of the first record that the journal will have
 *   epoch=17           the configuration epoch in which it continues
 *   crc32c=1c2f9a07
 * </pre>
 */
public final class IncomingCheckpoint {
  static final String INSTALL = "INSTALL";
  static final String INCOMING = "incoming";
  private static final String FIRST_LINE = "stablecut install";
  private static final int FORMAT = 1;

  /** Creates an empty journal. */
  @FunctionalInterface
  public interface JournalCreator {
    /**
     * Creates the journal durably in an empty directory.
     *
     * @param first the number of its first record
     * @param epoch the configuration epoch in which it continues
     */
    void begin(long first, long epoch) throws IOException;
  }

  private final Path partition;
  private final DirectoryLock lock;
  private final JournalCreator beginning;

  /**
   * @param partition the partition's directory
   * @param lock the lock on the node's directory; without it nothing is changed
   */
  IncomingCheckpoint(Path partition, DirectoryLock lock, JournalCreator beginning) {
    this.partition = partition;
    this.lock = lock;
    this.beginning = beginning;
  }

  /** Empties the directory for the files, and returns it. */
  public Path begin() {
    try {
      lock.check();
      Path incoming = partition.resolve(INCOMING);
      FileTrees.delete(incoming);
      PrivateFiles.createDirectories(incoming);
      return incoming;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Deletes received files that are not used. */
  public void drop() {
    try {
      lock.check();
      FileTrees.delete(partition.resolve(INCOMING));
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Durably installs the received files. The replica's files must be closed. */
  public void install(long first, long epoch) {
    try {
      lock.check();
      mark(partition, first, epoch);
    } catch (IOException e) {
      throw failed(e);
    }
    finish();
  }

  /** Durably makes the next open of a replica start with an empty journal. */
  static void mark(Path partition, long first, long epoch) throws IOException {
    PrivateFiles.replace(
        partition,
        INSTALL,
        CheckedText.seal(
            "%s\nformat=%d\nfirst=%d\nepoch=%d\n".formatted(FIRST_LINE, FORMAT, first, epoch)));
  }

  /**
   * Completes an {@link #install} that a crash interrupted. Called before the replica is opened.
   */
  public void finish() {
    Path mark = partition.resolve(INSTALL);
    Path incoming = partition.resolve(INCOMING);
    try {
      lock.check();
      // Renames and deletions before a crash may not be durable yet.
      if (Files.isDirectory(partition)) {
        PrivateFiles.forceDirectory(partition);
      }
      if (!Files.exists(mark)) {
        FileTrees.delete(incoming);
        return;
      }
      Map<String, String> fields = read(mark);
      if (Files.isDirectory(incoming)) {
        Path checkpoints = StoreDirectory.checkpointsIn(partition);
        FileTrees.delete(checkpoints);
        Files.move(incoming, checkpoints, StandardCopyOption.ATOMIC_MOVE);
        PrivateFiles.forceDirectory(partition);
      }
      Path journal = StoreDirectory.journalIn(partition);
      FileTrees.delete(journal);
      PrivateFiles.createDirectories(journal);
      beginning.begin(number(fields, "first", mark), number(fields, "epoch", mark));
      Files.delete(mark);
      PrivateFiles.forceDirectory(partition);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private static Map<String, String> read(Path mark) throws IOException {
    String text = CheckedText.read(mark);
    Map<String, String> fields = CheckedText.fields(text);
    CheckedText.checkFormat(fields, FORMAT, mark.toString());
    if (!text.startsWith(FIRST_LINE + "\n")) {
      throw CheckedText.damaged(mark);
    }
    CheckedText.checkWhole(text, mark);
    return fields;
  }

  private static long number(Map<String, String> fields, String name, Path mark) {
    try {
      return Long.parseLong(fields.getOrDefault(name, ""));
    } catch (NumberFormatException e) {
      throw new CorruptStoreException(
          mark + " is malformed: start the node with an empty directory", e);
    }
  }

  private StoreIoException failed(IOException e) {
    return new StoreIoException(
        "the replica in %s can't continue with a checkpoint of another one: %s; remove the cause, and start the node again"
            .formatted(partition, IoReason.of(e)),
        e);
  }
}
