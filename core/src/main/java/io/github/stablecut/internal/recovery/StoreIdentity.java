package io.github.stablecut.internal.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.CorruptStoreException;
import io.github.stablecut.NotAStoreException;
import io.github.stablecut.UnsupportedFormatException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

/**
 * Who a store is: the content of the file {@link StoreDirectory#IDENTITY}, lines of text that
 * people can read.
 *
 * <pre>
 *   stablecut store
 *   format=1
 *   id=9f86d081884c7d65
 *   partitions=1
 *   restoredFrom=0a1b2c3d4e5f6071
 *   crc32c=1c2f9a07
 * </pre>
 *
 * <p>The line {@code restoredFrom} is there only if the store was made from a backup. The last line
 * is the CRC32C of all bytes before it. The first two lines are the same in every format, so that
 * older programs can say what they found.
 *
 * @param id a random number
 * @param partitions how many partitions the store was made with
 * @param restoredFrom the store whose backup it was made from; empty if from none
 */
public record StoreIdentity(long id, int partitions, OptionalLong restoredFrom) {
  /** The newest format that this program reads, and the one that it writes. */
  public static final int FORMAT = 1;

  private static final String RESTORED_FROM = "restoredFrom";
  private static final String FIRST_LINE = "stablecut store";

  String toText() {
    String content =
        "%s\nformat=%d\nid=%016x\npartitions=%d\n".formatted(FIRST_LINE, FORMAT, id, partitions);
    if (restoredFrom.isPresent()) {
      content += "%s=%016x\n".formatted(RESTORED_FROM, restoredFrom.getAsLong());
    }
    return content + "crc32c=" + checksum(content) + "\n";
  }

  /**
   * The identity that a file's content stands for.
   *
   * @param file its name for messages
   */
  static StoreIdentity parse(String text, String file) {
    if (!text.startsWith(FIRST_LINE + "\n")) {
      throw new NotAStoreException(
          file
              + " does not begin with \""
              + FIRST_LINE
              + "\": it is no store's; choose another directory");
    }
    Map<String, String> fields = fields(text);
    String format = fields.getOrDefault("format", "missing");
    if (format.matches("[0-9]{1,9}") && Integer.parseInt(format) > FORMAT) {
      throw new UnsupportedFormatException(
          "%s is of format %s, this program reads up to %d: use a newer version"
              .formatted(file, format, FORMAT));
    }
    int end = text.indexOf("crc32c=");
    if (end < 0 || !checksum(text.substring(0, end)).equals(fields.get("crc32c"))) {
      throw new CorruptStoreException(
          file + " is damaged: its checksum is wrong; restore it from a backup");
    }
    try {
      return new StoreIdentity(
          HexFormat.fromHexDigitsToLong(fields.getOrDefault("id", "")),
          Integer.parseInt(fields.getOrDefault("partitions", "")),
          fields.containsKey(RESTORED_FROM)
              ? OptionalLong.of(HexFormat.fromHexDigitsToLong(fields.get(RESTORED_FROM)))
              : OptionalLong.empty());
    } catch (IllegalArgumentException e) {
      throw new CorruptStoreException(file + " is malformed: restore it from a backup", e);
    }
  }

  private static Map<String, String> fields(String text) {
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
