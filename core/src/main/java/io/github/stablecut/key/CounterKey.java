package io.github.stablecut.key;

import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.PnCounter;
import io.github.stablecut.crdt.Question;
import io.github.stablecut.error.LimitExceededException;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * The name of a counter ({@link PnCounter}), which may be resettable. Initially 0. Sums are exact:
 * one beyond the range of {@code long} is kept, and reading it throws {@link
 * LimitExceededException} until it is back in range.
 */
public sealed class CounterKey extends Key<Long> permits ResettableCounterKey {
  private final LongFunction<Object> addition;

  CounterKey(ObjectPath place) {
    this(place, PnCounter.TYPE, PnCounter.Add::of);
  }

  CounterKey(ObjectPath place, CrdtType<?, ?, ?, Long> type, LongFunction<Object> addition) {
    super(place, type, value -> value);
    this.addition = addition;
  }

  /** Adds 1. */
  public final Update increment() {
    return increment(1);
  }

  /** Adds an amount, any number. */
  public final Update increment(long amount) {
    return updateBy(addition.apply(amount));
  }

  /**
   * Subtracts an amount.
   *
   * @throws LimitExceededException if it is -2^63, whose opposite no {@code long} holds
   */
  public final Update decrement(long amount) {
    return increment(opposite(amount));
  }

  /** What has to be added to take an amount off. */
  static long opposite(long amount) {
    if (amount == Long.MIN_VALUE) {
      throw new LimitExceededException(
          "taking off -2^63 would add 2^63, more than a long holds: take off half of it, twice");
    }
    return -amount;
  }

  @Override
  final Optional<ObjectQuery<?, Long>> valueQuery() {
    return Optional.of(ask(new Question.Total()));
  }

  @Override
  CounterKey at(ObjectPath other) {
    return new CounterKey(other);
  }
}
