package io.github.stablecut.internal.recovery;

import io.github.stablecut.error.CorruptStoreException;
import java.util.HexFormat;
import java.util.Map;

/**
 * The move of a partition, as recorded in {@code p5.gone} at the old owner and in {@code
 * p5.incoming/MOVE} at the new one ({@link MovedPartitions}). Immutable.
 *
 * <pre>
 *   stablecut move
 *   move=5b1e0c4f77aa9012
 *   number=5
 *   node=n2
 *   epoch=8
 *   crc32c=1c2f9a07
 * </pre>
 *
 * @param move the unique number of the move; 0 if the partition was moved before this directory was
 *     created
 * @param number the partition
 * @param node the other node: the receiver in {@code p5.gone}, the sender in {@code
 *     p5.incoming/MOVE}
 * @param epoch the epoch from which the other node owns the partition; 0 in a copy
 */
public record MoveMark(long move, int number, String node, long epoch) {
  private static final String ADVICE =
      " is damaged, so the owner of the partition is unknown: if stablecut cluster status shows no other owner, delete the file";

  String toText() {
    return CheckedText.seal(
        "stablecut move\nmove=%016x\nnumber=%d\nnode=%s\nepoch=%d\n"
            .formatted(move, number, node, epoch));
  }

  /**
   * Parses a mark.
   *
   * @param file its name for messages
   */
  static MoveMark parse(String text, String file) {
    if (!CheckedText.isWhole(text)) {
      throw new CorruptStoreException(file + ADVICE);
    }
    Map<String, String> fields = CheckedText.fields(text);
    try {
      return new MoveMark(
          HexFormat.fromHexDigitsToLong(fields.getOrDefault("move", "")),
          Integer.parseInt(fields.getOrDefault("number", "")),
          fields.getOrDefault("node", ""),
          Long.parseLong(fields.getOrDefault("epoch", "")));
    } catch (IllegalArgumentException e) {
      throw new CorruptStoreException(file + ADVICE, e);
    }
  }
}
