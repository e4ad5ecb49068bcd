package io.github.stablecut.crdt;

/**
 * Which part of a list or text a slice is. It ends where the list or text does.
 *
 * @param from how many elements or code points are before it
 * @param to how many are before its end; at most {@link Question#MAX_ITEMS} more
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
    return "a slice begins at 0 or later and has at most %,d elements, it can't be from %,d to %,d"
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
