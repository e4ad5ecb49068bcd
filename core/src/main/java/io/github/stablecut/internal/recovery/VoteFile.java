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
 * The vote of a replica: the content of the text file {@code p2/PROMISE}.
 *
 * <pre>
 *   stablecut promise
 *   format=1
 *   epoch=17
 *   shortened=73c2a1d04e5f6b98
 *   crc32c=1c2f9a07
 * </pre>
 *
 * <p>{@code epoch} is the newest epoch that the replica voted for: it accepts nothing of earlier
 * ones. {@code shortened} is present while the replica may lack records that it acknowledged,
 * because the end of its log was damaged. Until it has all of a leader's log, its vote doesn't
 * count.
 *
 * <p>The file is created with the partition's directory, and is replaced and synced before the vote
 * is sent. Confined to the replica's thread.
 */
public final class VoteFile {
  static final String NAME = "PROMISE";
  private static final String FIRST_LINE = "stablecut promise";
  private static final int FORMAT = 1;

  private final Path partition;
  private final DirectoryLock lock;

  /**
   * @param partition the partition's directory
   * @param lock the lock on the node's directory; without it the replica doesn't vote
   */
  VoteFile(Path partition, DirectoryLock lock) {
    this.partition = partition;
    this.lock = lock;
  }

  /**
   * The newest epoch voted for; 0 for none.
   *
   * @throws CorruptStoreException if the file is missing or damaged, because the vote is then
   *     unknown
   */
  public long read() {
    return parse("epoch", "", 10);
  }

  /** Not 0 if the replica may lack records that it acknowledged. Otherwise like {@link #read}. */
  public long shortened() {
    return parse("shortened", "0", 16);
  }

  private long parse(String field, String absent, int radix) {
    Path file = partition.resolve(NAME);
    if (!Files.exists(file)) {
      throw new CorruptStoreException(
          "%s is missing, and with it the replica's votes: restore it, or start the node with an empty directory"
              .formatted(file));
    }
    try {
      return parse(fields(CheckedText.read(file), file).getOrDefault(field, absent), radix, file);
    } catch (IOException e) {
      throw failed("read", e);
    }
  }

  private static Map<String, String> fields(String text, Path file) {
    Map<String, String> fields = CheckedText.fields(text);
    CheckedText.checkFormat(fields, FORMAT, file.toString());
    if (!text.startsWith(FIRST_LINE + "\n")) {
      throw CheckedText.damaged(file);
    }
    CheckedText.checkWhole(text, file);
    return fields;
  }

  private static long parse(String number, int radix, Path file) {
    try {
      return Long.parseLong(number, radix);
    } catch (NumberFormatException e) {
      throw new CorruptStoreException(file + " is malformed: restore it from a backup", e);
    }
  }

  /** Durably replaces the vote of a replica that lacks nothing. */
  public void write(long epoch) {
    write(epoch, 0);
  }

  /**
   * Durably replaces the vote.
   *
   * @param shortened 0, or a random positive number if the replica may lack acknowledged records
   */
  public void write(long epoch, long shortened) {
    String lacking = shortened == 0 ? "" : "shortened=%016x\n".formatted(shortened);
    try {
      lock.check();
      PrivateFiles.replace(
          partition,
          NAME,
          CheckedText.seal(
              "%s\nformat=%d\nepoch=%d\n%s".formatted(FIRST_LINE, FORMAT, epoch, lacking)));
      // A new owner of the directory may have voted for a later epoch, which this has overwritten.
      lock.check();
    } catch (IOException e) {
      throw failed("written", e);
    }
  }

  private StoreIoException failed(String what, IOException e) {
    return new StoreIoException(
        "the vote of the replica in %s can't be %s: %s; remove the cause, and start the node again"
            .formatted(partition, what, IoReason.of(e)),
        e);
  }
}
