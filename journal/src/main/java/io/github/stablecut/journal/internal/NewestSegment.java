package io.github.stablecut.journal.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.journal.CorruptJournalException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * The file {@value #FILE} beside the segments of a journal, which says which of them is the newest:
 * if that one disappeared, those before it would be a journal too, a shorter one. A line of text,
 * the number and a checksum of it, as {@code 0000000007 8d5ad23c}.
 *
 * <p>It is written when a segment is durable, and not forced: after a power cut it may be older
 * than the segments, or empty, never newer. Copies of a journal may go without it. Thread-safe.
 */
final class NewestSegment {
  static final String FILE = "NEWEST";

  private final Path file;

  NewestSegment(Path directory) {
    this.file = directory.resolve(FILE);
  }

  /**
   * The number; 0 if it isn't known.
   *
   * @throws CorruptJournalException if the file was changed
   */
  synchronized int read() throws IOException {
    if (!Files.exists(file)) {
      return 0;
    }
    byte[] bytes = Files.readAllBytes(file);
    if (isEmpty(bytes)) {
      return 0;
    }
    String line = new String(bytes, US_ASCII);
    if (!line.matches("[0-9]{10} [0-9a-f]{8}\n") || !line.equals(line(numberOf(line)))) {
      throw new CorruptJournalException(
          "%s is damaged: if no segment of the journal is missing, delete this file; otherwise restore the directory from a backup"
              .formatted(file));
    }
    return numberOf(line);
  }

  private static int numberOf(String line) {
    return (int) Long.parseLong(line.substring(0, 10));
  }

  /** Whether a power cut came before the first content. */
  private static boolean isEmpty(byte[] bytes) {
    for (byte one : bytes) {
      if (one != 0) {
        return false;
      }
    }
    return true;
  }

  /** Takes note of the newest segment; 0 for none. */
  synchronized void write(int segment) throws IOException {
    try (FileChannel channel = open()) {
      ByteBuffer bytes = ByteBuffer.wrap(line(segment).getBytes(US_ASCII));
      while (bytes.hasRemaining()) {
        var unused = channel.write(bytes, bytes.position());
      }
    }
  }

  /** Makes what was written durable. */
  synchronized void force() throws IOException {
    try (FileChannel channel = open()) {
      channel.force(true);
    }
  }

  private FileChannel open() throws IOException {
    return PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  private static String line(int segment) {
    String number = "%010d".formatted(segment);
    CRC32C crc = new CRC32C();
    crc.update(number.getBytes(US_ASCII));
    return "%s %08x\n".formatted(number, (int) crc.getValue());
  }
}
