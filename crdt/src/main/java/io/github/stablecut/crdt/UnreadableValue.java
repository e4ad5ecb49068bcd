package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.LimitExceededException;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * In the place of a value that no reader can be given, such as the sum of a counter beyond 63 bits:
 * so those who only go past the object can. Immutable.
 *
 * @param failure what a reader is told
 */
public record UnreadableValue(LimitExceededException failure) {
  /** Whether a reader is told the same. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof UnreadableValue same
        && Objects.equals(failure.getMessage(), same.failure.getMessage())
        && failure.sum().equals(same.failure.sum());
  }

  @Override
  public int hashCode() {
    return failure.sum().hashCode();
  }

  /**
   * What a reader sees of a state, or why he can't.
   *
   * @param state of the type
   */
  @SuppressWarnings("unchecked") // the state is of the type
  public static <S> Object valueOf(CrdtType<S, ?, ?, ?> type, Object state, VectorClock snapshot) {
    try {
      return type.value((S) state, snapshot);
    } catch (LimitExceededException e) {
      return new UnreadableValue(e);
    }
  }

  /**
   * What a reader sees, or the exact sum of a counter in the place of one that a {@code long} can't
   * hold: a {@code BigInteger}. For those who pass on or print values of any type.
   *
   * @param value is looked at once
   * @throws LimitExceededException if the value can't be given for another reason
   */
  public static Object orSum(Supplier<?> value) {
    try {
      return value.get();
    } catch (LimitExceededException e) {
      return e.sum().orElseThrow(() -> e);
    }
  }

  /**
   * What a reader is told, with the name of the object.
   *
   * @param object such as {@code likes in bucket page}
   */
  public LimitExceededException of(Object object) {
    return named(object, failure);
  }

  /** A failure with the name of the object that it is about. */
  public static LimitExceededException named(Object object, LimitExceededException failure) {
    return new LimitExceededException(object + ": " + failure.getMessage(), failure);
  }
}
