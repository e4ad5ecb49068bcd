package io.github.stablecut.crdt;

import java.util.Optional;
import java.util.function.Function;

/**
 * The maximum size of a reset's effect. A larger object is reset in parts, one operation after the
 * other, or not at all. Immutable.
 *
 * @param bytes the approximate maximum, at least {@link #MIN_BYTES}; the effect may exceed it by
 *     one element
 * @param isInParts whether to reset part of an object that is too large; otherwise the operation is
 *     refused
 */
public record ResetBound(int bytes, boolean isInParts) {
  /** Enough bytes for something in the innermost of the maximum number of nested maps. */
  public static final int MIN_BYTES = 1 << 10;

  /** Checks the number. */
  public ResetBound {
    if (bytes < MIN_BYTES) {
      throw new IllegalArgumentException(
          "the bound of a reset must be at least %,d bytes, not %,d".formatted(MIN_BYTES, bytes));
    }
  }

  /**
   * Creates the effect of a reset.
   *
   * @param name the name of the type
   * @param reset creates the effect for as much of the object as the budget permits
   */
  public <E> E effect(String name, Function<ResetBudget, Optional<E>> reset) {
    ResetBudget budget = new ResetBudget(bytes);
    Optional<E> effect = reset.apply(budget);
    if (budget.isExhausted() && !isInParts) {
      throw new OperationRefusedException(
          "%s: undoing everything takes more than %,d bytes: undo it in parts"
              .formatted(name, bytes));
    }
    return effect.orElseThrow();
  }

  public void write(Encoder out) {
    out.writeUnsigned(bytes);
    out.writeFlag(isInParts);
  }

  public static ResetBound read(Decoder in) {
    int bytes = in.readIndex();
    if (bytes < MIN_BYTES) {
      throw new FormatException("the bound of a reset is too small: %,d bytes".formatted(bytes));
    }
    return new ResetBound(bytes, in.readFlag());
  }
}
