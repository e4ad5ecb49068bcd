package io.github.stablecut.crdt;

import java.util.Optional;
import java.util.function.Function;

/**
 * How large the effect of a reset may become. An object for which that is not enough is reset in
 * parts, by one operation after the other, or not at all. Immutable.
 *
 * @param bytes at least {@link #MIN_BYTES}; the effect takes about as many at most, and one element
 *     more
 * @param isInParts whether a part of the object is reset if the bytes are too few for all of it;
 *     otherwise the operation is refused
 */
public record ResetBound(int bytes, boolean isInParts) {
  /** Room for something in the innermost of the maps that there may be around it. */
  public static final int MIN_BYTES = 1 << 10;

  /** Checks the number. */
  public ResetBound {
    if (bytes < MIN_BYTES) {
      throw new IllegalArgumentException(
          "a reset takes at least %,d bytes, not %,d".formatted(MIN_BYTES, bytes));
    }
  }

  /**
   * The effect of a reset.
   *
   * @param name of the type
   * @param reset what it undoes, as far as there is room
   */
  <E> E effect(String name, Function<ResetBudget, Optional<E>> reset) {
    ResetBudget room = new ResetBudget(bytes);
    Optional<E> effect = reset.apply(room);
    if (room.isExhausted() && !isInParts) {
      throw new OperationRefusedException(
          "%s: undoing all of it takes more than %,d bytes: undo it in parts"
              .formatted(name, bytes));
    }
    return effect.orElseThrow();
  }

  void write(Encoder out) {
    out.writeUnsigned(bytes);
    out.writeFlag(isInParts);
  }

  static ResetBound read(Decoder in) {
    int bytes = in.readIndex();
    if (bytes < MIN_BYTES) {
      throw new FormatException("a reset of %,d bytes".formatted(bytes));
    }
    return new ResetBound(bytes, in.readFlag());
  }
}
