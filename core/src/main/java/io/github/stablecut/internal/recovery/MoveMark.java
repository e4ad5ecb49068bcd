package io.github.stablecut.internal.recovery;

import io.github.stablecut.error.CorruptStoreException;
import java.util.HexFormat;
import java.util.Map;

/**
 * Which move a partition's directory takes part in: the content of {@code p5.gone}, where the
 * partition was, and of {@code p5.incoming/MOVE}, where it comes to ({@link MovedPartitions}).
 * Immutable.
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
 * @param move a number that no other move has; 0 if the partition was moved before this directory
 *     was made
 * @param number the partition's
 * @param node the other node: who got it, or who gives it
 * @param epoch from which on the partition is the other node's; 0 in a copy, which is nobody's
 */
public record MoveMark(long move, int number, String node, long epoch) {
  private static final String ADVICE =
      " is damaged, so it is not known whose the partition is: if no other node has it by ./stablecut cluster status, delete the file";

  String toText() {
    return CheckedText.seal(
        "stablecut move\nmove=%016x\nnumber=%d\nnode=%s\nepoch=%d\n"
            .formatted(move, number, node, epoch));
  }

  /**
   * The mark that a file's content stands for.
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
