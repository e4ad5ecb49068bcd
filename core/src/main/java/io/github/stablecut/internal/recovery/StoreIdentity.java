package io.github.stablecut.internal.recovery;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.NotAStoreException;
import java.util.HexFormat;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The identity of a store: the content of the text file {@link StoreDirectory#IDENTITY}.
 *
 * <pre>
 *   stablecut store
 *   format=1
 *   id=9f86d081884c7d65
 *   partitions=1
 *   dataCentre=2
 *   restoredFrom=0a1b2c3d4e5f6071
 *   routing=0a1b2c3d4e5f6071
 *   crc32c=1c2f9a07
 * </pre>
 *
 * <p>The line {@code dataCentre} exists only if the number is not 0, the lines {@code restoredFrom}
 * and {@code routing} only if the store was restored from a backup. The last line is the CRC32C of
 * all bytes before it. The first two lines are the same in every format, so that older versions can
 * name the format that they found.
 *
 * @param id a random number
 * @param partitions the number of partitions
 * @param dataCentre the data centre that the store is in: its own entry in vectors
 * @param restoredFrom the store whose backup it was restored from; empty if there is none
 * @param routing the seed of the routing: the id, or the id of the store that was first backed up,
 *     because objects stay on their partitions
 */
public record StoreIdentity(
    long id, int partitions, LocalDataCentre dataCentre, OptionalLong restoredFrom, long routing) {
  /** The format that this version writes, and the newest that it reads. */
  public static final int FORMAT = 1;

  private static final String DATA_CENTRE = "dataCentre";
  private static final String RESTORED_FROM = "restoredFrom";
  private static final String ROUTING = "routing";
  private static final String FIRST_LINE = "stablecut store";

  /** For a store that is not restored from a backup. */
  public StoreIdentity(long id, int partitions, LocalDataCentre dataCentre) {
    this(id, partitions, dataCentre, OptionalLong.empty(), id);
  }

  /** For a store of the first data centre that is not restored from a backup. */
  public StoreIdentity(long id, int partitions) {
    this(id, partitions, LocalDataCentre.FIRST);
  }

  String toText() {
    String content =
        "%s\nformat=%d\nid=%016x\npartitions=%d\n".formatted(FIRST_LINE, FORMAT, id, partitions);
    if (!dataCentre.equals(LocalDataCentre.FIRST)) {
      content += "%s=%d\n".formatted(DATA_CENTRE, dataCentre.number());
    }
    if (restoredFrom.isPresent()) {
      content += "%s=%016x\n".formatted(RESTORED_FROM, restoredFrom.getAsLong());
      content += "%s=%016x\n".formatted(ROUTING, routing);
    }
    return CheckedText.seal(content);
  }

  /**
   * Parses an identity.
   *
   * @param file its name for messages
   */
  static StoreIdentity parse(String text, String file) {
    if (!text.startsWith(FIRST_LINE + "\n")) {
      throw new NotAStoreException(
          file
              + " does not begin with \""
              + FIRST_LINE
              + "\": it does not belong to a store; choose another directory");
    }
    Map<String, String> fields = CheckedText.fields(text);
    CheckedText.checkFormat(fields, FORMAT, file);
    CheckedText.checkWhole(text, file);
    try {
      long id = HexFormat.fromHexDigitsToLong(fields.getOrDefault("id", ""));
      return new StoreIdentity(
          id,
          Integer.parseInt(fields.getOrDefault("partitions", "")),
          new LocalDataCentre(Integer.parseInt(fields.getOrDefault(DATA_CENTRE, "0"))),
          fields.containsKey(RESTORED_FROM)
              ? OptionalLong.of(HexFormat.fromHexDigitsToLong(fields.get(RESTORED_FROM)))
              : OptionalLong.empty(),
          fields.containsKey(ROUTING) ? HexFormat.fromHexDigitsToLong(fields.get(ROUTING)) : id);
    } catch (IllegalArgumentException e) {
      throw new CorruptStoreException(file + " is malformed: restore it from a backup", e);
    }
  }
}
