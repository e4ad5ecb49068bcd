package io.github.stablecut.internal.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.UnsupportedFormatException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * The format of small text files with lines {@code name=value}. The last line is the CRC32C of all
 * bytes before it.
 */
final class CheckedText {
  private static final String CHECKSUM = "crc32c";

  private CheckedText() {}

  /** Appends the checksum to a text. */
  static String seal(String content) {
    return content + CHECKSUM + "=" + checksum(content) + "\n";
  }

  /**
   * Reads a file. Bytes that are not UTF-8 become replacement characters, so the checksum does not
   * match.
   */
  static String read(Path file) throws IOException {
    return new String(Files.readAllBytes(file), UTF_8);
  }

  /** Whether the checksum of a text is correct. */
  static boolean isWhole(String text) {
    int end = text.indexOf(CHECKSUM + "=");
    return end >= 0 && checksum(text.substring(0, end)).equals(fields(text).get(CHECKSUM));
  }

  /**
   * Checks the checksum of a text.
   *
   * @param file its name for messages
   */
  static void checkWhole(String text, Object file) {
    if (!isWhole(text)) {
      throw damaged(file);
    }
  }

  /** The exception for a damaged file. */
  static CorruptStoreException damaged(Object file) {
    return new CorruptStoreException(
        file + " is damaged: its checksum is wrong; restore it from a backup");
  }

  /**
   * Checks the value of {@code format}. A malformed number is left to the parser.
   *
   * @param newest the newest format that this version reads
   * @param file its name for messages
   */
  static void checkFormat(Map<String, String> fields, int newest, String file) {
    String format = fields.getOrDefault("format", "missing");
    if (format.matches("[0-9]{1,9}") && Integer.parseInt(format) > newest) {
      throw new UnsupportedFormatException(
          "%s has format %s, this program reads up to %d: use a newer version"
              .formatted(file, format, newest));
    }
  }

  /** Parses the fields of a text. */
  static Map<String, String> fields(String text) {
    Map<String, String> fields = new LinkedHashMap<>();
    text.lines()
        .filter(line -> line.contains("="))
        .forEach(
            line ->
                fields.put(
                    line.substring(0, line.indexOf('=')), line.substring(line.indexOf('=') + 1)));
    return fields;
  }

  private static String checksum(String content) {
    CRC32C crc = new CRC32C();
    crc.update(content.getBytes(UTF_8));
    return "%08x".formatted(crc.getValue());
  }
}
