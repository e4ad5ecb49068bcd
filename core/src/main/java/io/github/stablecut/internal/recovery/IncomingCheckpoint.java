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
 * A checkpoint of another copy, with which a copy goes on instead of its own checkpoints and
 * journal: in {@code p2/incoming/} until all of it is there. Confined to the copy's thread.
 *
 * <p>{@code p2/INSTALL} is the commit point: once it is there, the copy is opened only after the
 * checkpoint has taken the place of the old one, and an empty journal that of the old one. Each
 * step can be done again after a crash.
 *
 * <pre>
 *   stablecut install
 *   format=1
 *   first=51204        the number of the first record that the journal will have
 *   epoch=17           of the layout in which it goes on
 *   crc32c=1c2f9a07
 * </pre>
 */
public final class IncomingCheckpoint {
  static final String INSTALL = "INSTALL";
  static final String INCOMING = "incoming";
  private static final String FIRST_LINE = "stablecut install";
  private static final int FORMAT = 1;

  /** Makes an empty journal. */
  @FunctionalInterface
  public interface Beginning {
    /**
     * Makes it durably, in a directory without files.
     *
     * @param first the number of the first record that it will have
     * @param epoch of the layout in which it goes on
     */
    void begin(long first, long epoch) throws IOException;
  }

  private final Path partition;
  private final DirectoryLock lock;
  private final Beginning beginning;

  /**
   * @param partition the partition's directory
   * @param lock of the node's directory; once it is lost nothing is changed
   */
  IncomingCheckpoint(Path partition, DirectoryLock lock, Beginning beginning) {
    this.partition = partition;
    this.lock = lock;
    this.beginning = beginning;
  }

  /** The directory for the files, emptied. */
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

  /** Deletes what came there, and is not used. */
  public void drop() {
    try {
      lock.check();
      FileTrees.delete(partition.resolve(INCOMING));
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Durably goes on with what is there. The copy's files are closed. */
  public void install(long first, long epoch) {
    try {
      lock.check();
      mark(partition, first, epoch);
    } catch (IOException e) {
      throw failed(e);
    }
    finish();
  }

  /** Durably has the journal of a partition begin anew when the copy is opened. */
  static void mark(Path partition, long first, long epoch) throws IOException {
    PrivateFiles.replace(
        partition,
        INSTALL,
        CheckedText.seal(
            "%s\nformat=%d\nfirst=%d\nepoch=%d\n".formatted(FIRST_LINE, FORMAT, first, epoch)));
  }

  /**
   * Does what {@link #install} has begun, if a crash came in between. Before the copy is opened.
   */
  public void finish() {
    Path mark = partition.resolve(INSTALL);
    Path incoming = partition.resolve(INCOMING);
    try {
      lock.check();
      // What a crash left of renaming and deleting may be undone by a power cut until then.
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
        "the replica in %s can't go on with a checkpoint of another one: %s; remove the cause, and start the node again"
            .formatted(partition, IoReason.of(e)),
        e);
  }
}
