package io.github.stablecut.crdt.question;

import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;

/**
 * The bounds of a slice of a list or text. A slice ends at the end of the list or text at the
 * latest.
 *
 * @param from the number of elements or code points before the slice
 * @param to the number before its end; at most {@link Question#MAX_ITEMS} greater than {@code from}
 */
public record SliceBounds(int from, int to) {
  /** Checks the bounds. */
  public SliceBounds {
    if (!areValid(from, to)) {
      throw new IllegalArgumentException(invalid(from, to));
    }
  }

  private static boolean areValid(int from, int to) {
    return from >= 0 && from <= to && to - from <= Question.MAX_ITEMS;
  }

  private static String invalid(int from, int to) {
    return "a slice must begin at 0 or later and have at most %,d elements: from %,d to %,d is invalid"
        .formatted(Question.MAX_ITEMS, from, to);
  }

  void write(Encoder out) {
    out.writeUnsigned(from);
    out.writeUnsigned(to);
  }

  static SliceBounds read(Decoder in) {
    int from = in.readIndex();
    int to = in.readIndex();
    if (!areValid(from, to)) {
      throw new FormatException(invalid(from, to));
    }
    return new SliceBounds(from, to);
  }
}
