package io.github.stablecut.internal.recovery;

import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * What a copy of a partition has promised: the content of the text file {@code p2/PROMISE}.
 *
 * <pre>
 *   stablecut promise
 *   format=1
 *   epoch=17
 *   crc32c=1c2f9a07
 * </pre>
 *
 * <p>The newest epoch whose leader the copy was asked to follow: it takes nothing of earlier ones.
 * It is made with the partition's directory, and replaced, and synced, before the promise is told.
 * Confined to the copy's thread.
 */
public final class PromiseFile {
  static final String NAME = "PROMISE";
  private static final String FIRST_LINE = "stablecut promise";
  private static final int FORMAT = 1;

  private final Path partition;
  private final DirectoryLock lock;

  /**
   * @param partition the partition's directory
   * @param lock of the node's directory; once it is lost nothing is promised
   */
  PromiseFile(Path partition, DirectoryLock lock) {
    this.partition = partition;
    this.lock = lock;
  }

  /**
   * The newest epoch that was promised; 0 for none.
   *
   * @throws CorruptStoreException if the file is missing or damaged: nobody knows what was promised
   */
  public long read() {
    Path file = partition.resolve(NAME);
    if (!Files.exists(file)) {
      throw new CorruptStoreException(
          "%s is missing, and nobody knows what the copy has promised: put it back, or start the node with an empty directory"
              .formatted(file));
    }
    try {
      return parse(CheckedText.read(file), file);
    } catch (IOException e) {
      throw failed("read", e);
    }
  }

  private static long parse(String text, Path file) {
    Map<String, String> fields = CheckedText.fields(text);
    CheckedText.checkFormat(fields, FORMAT, file.toString());
    if (!text.startsWith(FIRST_LINE + "\n")) {
      throw CheckedText.damaged(file);
    }
    CheckedText.checkWhole(text, file);
    try {
      return Long.parseLong(fields.getOrDefault("epoch", ""));
    } catch (NumberFormatException e) {
      throw new CorruptStoreException(file + " is malformed: restore it from a backup", e);
    }
  }

  /** Durably replaces the promise. */
  public void write(long epoch) {
    try {
      lock.check();
      PrivateFiles.replace(
          partition,
          NAME,
          CheckedText.seal("%s\nformat=%d\nepoch=%d\n".formatted(FIRST_LINE, FORMAT, epoch)));
      // Whoever has the directory now may have promised more, which this has replaced.
      lock.check();
    } catch (IOException e) {
      throw failed("written", e);
    }
  }

  private StoreIoException failed(String what, IOException e) {
    return new StoreIoException(
        "what the copy in %s has promised can't be %s: %s; remove the cause, and start the node again"
            .formatted(partition, what, IoReason.of(e)),
        e);
  }
}
