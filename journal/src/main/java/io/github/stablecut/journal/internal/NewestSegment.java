package io.github.stablecut.journal.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.journal.segment.CorruptJournalException;
import io.github.stablecut.journal.segment.SegmentStore.Extent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The file {@value #FILE} next to the segments of a journal, which records the journal's extent.
 * Without it, a journal that lost its newest segment, or the end of that, would look like a shorter
 * journal. It is a line of text: the number of the newest segment; the sequence of the last frame;
 * and a checksum of both. The sequence is that at the orderly close, or at the newest checkpoint,
 * or else 0:
 *
 * <pre>
 *   0000000007 0000000000000000103 8d5ad23c
 * </pre>
 *
 * <p>The file is durable before anything is appended to the newest segment, and before an orderly
 * close is over. It doesn't cover what was appended after the newest checkpoint until the close,
 * because a crash may cut that off where it was not durable. Earlier versions omitted the sequence.
 * A copied journal may lack the file. Thread-safe.
 */
final class NewestSegment {
  static final String FILE = "NEWEST";

  private static final Pattern LINE =
      Pattern.compile(
          "(?<facts>(?<newest>[0-9]{10})( (?<durable>[0-9]{19}))?) (?<sum>[0-9a-f]{8})\n");

  private final Path file;

  NewestSegment(Path directory) {
    this.file = directory.resolve(FILE);
  }

  /**
   * The extent in the file; {@link Extent#UNKNOWN} if it is missing or empty.
   *
   * @throws CorruptJournalException if the file was changed
   */
  synchronized Extent read() throws IOException {
    if (!Files.exists(file)) {
      return Extent.UNKNOWN;
    }
    byte[] bytes = Files.readAllBytes(file);
    if (isEmpty(bytes)) {
      return Extent.UNKNOWN;
    }
    Matcher line = LINE.matcher(new String(bytes, US_ASCII));
    if (!line.matches() || !line.group("sum").equals(sum(line.group("facts")))) {
      throw new CorruptJournalException(
          "%s is damaged: if no segment of the journal is missing, delete this file; otherwise restore the directory from a backup"
              .formatted(file));
    }
    return new Extent(
        (int) Long.parseLong(line.group("newest")),
        Long.parseLong(Objects.requireNonNullElse(line.group("durable"), "0")));
  }

  /** Whether a power failure came before the first content. */
  private static boolean isEmpty(byte[] bytes) {
    for (byte one : bytes) {
      if (one != 0) {
        return false;
      }
    }
    return true;
  }

  /** Raises the sequence, durably. */
  synchronized void markSynced(long sequence) throws IOException {
    Extent extent = read();
    write(new Extent(extent.newest(), Math.max(extent.synced(), sequence)));
  }

  /** Writes the file, durably. */
  synchronized void write(Extent extent) throws IOException {
    String facts = "%010d %019d".formatted(extent.newest(), extent.synced());
    ByteBuffer bytes = US_ASCII.encode(facts + " " + sum(facts) + "\n");
    try (FileChannel channel =
        PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      long writtenBytes = 0;
      while (bytes.hasRemaining()) {
        writtenBytes += channel.write(bytes, writtenBytes);
      }
      channel.force(true);
    }
  }

  private static String sum(String facts) {
    CRC32C crc = new CRC32C();
    crc.update(facts.getBytes(US_ASCII));
    return "%08x".formatted((int) crc.getValue());
  }
}
