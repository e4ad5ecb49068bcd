package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.LimitExceededException;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Replaces a value that cannot be read, such as a counter's sum beyond {@code long}, so that
 * traversals can skip the object. Immutable.
 *
 * @param failure the exception that a reader of the value gets
 */
public record UnreadableValue(LimitExceededException failure) {
  /** Whether a reader gets the same message and sum. */
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
   * The value of a state, or an {@link UnreadableValue}.
   *
   * @param state a state of the type
   */
  @SuppressWarnings("unchecked") // the caller passes a state of the type
  public static <S> Object valueOf(CrdtType<S, ?, ?, ?> type, Object state, VectorClock snapshot) {
    try {
      return type.value((S) state, snapshot);
    } catch (LimitExceededException e) {
      return new UnreadableValue(e);
    }
  }

  /**
   * A value, or as a {@code BigInteger} the exact sum of a counter that exceeds {@code long}. For
   * callers that forward or print values of any type.
   *
   * @param value supplies the value; called once
   * @throws LimitExceededException if the value cannot be read for another reason
   */
  public static Object orSum(Supplier<?> value) {
    try {
      return value.get();
    } catch (LimitExceededException e) {
      return e.sum().orElseThrow(() -> e);
    }
  }

  /**
   * The failure with the name of the object.
   *
   * @param object the name, such as {@code likes in bucket page}
   */
  public LimitExceededException of(Object object) {
    return named(object, failure);
  }

  /** Adds the name of the object to a failure. */
  public static LimitExceededException named(Object object, LimitExceededException failure) {
    return new LimitExceededException(object + ": " + failure.getMessage(), failure);
  }
}
