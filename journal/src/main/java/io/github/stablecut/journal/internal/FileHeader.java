package io.github.stablecut.journal.internal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.stablecut.journal.JournalVersionException;
import io.github.stablecut.journal.segment.CorruptJournalException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The first {@value #BYTES} bytes of a plain segment file: a line of text, and zeros. The line has
 * the version of the layout, the segment's number and a checksum of both:
 *
 * <pre>
 *   stablecut-segment v1 0000000007 c2b51f9e
 * </pre>
 *
 * <p>Frames follow at multiples of four. No byte of the line looks like a frame's magic number. The
 * first frame is written before the header is synced; a header of zeros was being created.
 */
final class FileHeader {
  static final int BYTES = 64;

  /** The newest version that this program reads, and the one that it writes. */
  static final int VERSION = 1;

  private static final Pattern LINE =
      Pattern.compile(
          "(?<facts>stablecut-segment v(?<version>[0-9]{1,5}) (?<segment>[0-9]{10})) (?<sum>[0-9a-f]{8})\n\\00*");

  private FileHeader() {}

  /** The header of a new segment. */
  static ByteBuffer of(int segment) {
    String facts = "stablecut-segment v%d %010d".formatted(VERSION, segment);
    ByteBuffer header = ByteBuffer.allocate(BYTES);
    return header.put(US_ASCII.encode(facts + " " + sum(facts) + "\n")).rewind();
  }

  /**
   * Checks the header of a file.
   *
   * @param name the segment's name for messages
   * @throws CorruptJournalException if a byte of it was changed, or it is another segment's
   * @throws JournalVersionException if a newer version of this program wrote the file
   */
  static void check(Path file, int segment, String name) throws IOException {
    String found = read(file);
    if (found.chars().allMatch(one -> one == 0)) {
      return;
    }
    Matcher line = LINE.matcher(found);
    if (!line.matches() || !line.group("sum").equals(sum(line.group("facts")))) {
      throw damaged(name, "is damaged: found \"" + found.replace("\0", "").strip() + "\"");
    }
    int version = Integer.parseInt(line.group("version"));
    if (version > VERSION) {
      throw new JournalVersionException(
          "%s has the layout version %d, this program reads up to %d: use a newer program"
              .formatted(name, version, VERSION));
    }
    if (Long.parseLong(line.group("segment")) != segment) {
      throw damaged(name, "is that of segment " + Long.parseLong(line.group("segment")));
    }
  }

  /** The first bytes of a file, as characters. */
  private static String read(Path file) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(BYTES);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      while (header.hasRemaining() && channel.read(header) >= 0) {
        // Until the header is read, or the file ends.
      }
    }
    return ISO_8859_1.decode(header.flip()).toString();
  }

  private static CorruptJournalException damaged(String name, String what) {
    return new CorruptJournalException(
        "%s: the header of the file %s: nothing was changed; restore this segment from a copy, or the directory from a backup"
            .formatted(name, what));
  }

  private static String sum(String facts) {
    CRC32C crc = new CRC32C();
    crc.update(facts.getBytes(US_ASCII));
    return "%08x".formatted((int) crc.getValue());
  }
}
