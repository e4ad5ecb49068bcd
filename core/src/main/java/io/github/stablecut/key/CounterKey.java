package io.github.stablecut.key;

import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.error.LimitExceededException;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * The key of a counter ({@link PnCounter}), which may be resettable. Initially 0. Sums are exact:
 * the store keeps a sum beyond the range of {@code long}, but reading it throws {@link
 * LimitExceededException} until it is back in range.
 */
public sealed class CounterKey extends Key<Long> permits ResettableCounterKey {
  private final LongFunction<Object> addition;

  CounterKey(ObjectPath path) {
    this(path, PnCounter.TYPE, PnCounter.Add::of);
  }

  CounterKey(ObjectPath path, CrdtType<?, ?, ?, Long> type, LongFunction<Object> addition) {
    super(path, type, value -> value);
    this.addition = addition;
  }

  /** Adds 1. */
  public final Update increment() {
    return increment(1);
  }

  /** Adds an amount, which may be negative. */
  public final Update increment(long amount) {
    return updateBy(addition.apply(amount));
  }

  /**
   * Subtracts an amount.
   *
   * @throws LimitExceededException if the amount is -2^63, whose negation exceeds {@code long}
   */
  public final Update decrement(long amount) {
    return increment(negated(amount));
  }

  /** Negates an amount. */
  static long negated(long amount) {
    if (amount == Long.MIN_VALUE) {
      throw new LimitExceededException(
          "subtracting -2^63 would add 2^63, which exceeds a long: subtract half of it twice");
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
