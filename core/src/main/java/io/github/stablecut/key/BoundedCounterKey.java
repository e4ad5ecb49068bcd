package io.github.stablecut.key;

import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.counter.BoundedCounter;
import io.github.stablecut.crdt.question.Question;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The key of a counter that never falls below 0 ({@link BoundedCounter}). Its value is divided
 * among the data centres as rights: each can decrement the counter by its rights. Initially 0.
 */
public final class BoundedCounterKey extends Key<Long> {
  BoundedCounterKey(ObjectPath path) {
    super(path, BoundedCounter.TYPE, value -> value);
  }

  /** Creates the key for an id ({@link Key#id()}). For implementations of {@link Store}. */
  public static BoundedCounterKey ofId(Bytes id) {
    return new BoundedCounterKey(ObjectPath.of(ObjectIds.bucket(id), ObjectIds.key(id)));
  }

  /**
   * Adds an amount; this data centre receives the rights to it.
   *
   * @param amount above 0
   * @throws OperationRefusedException if the amount is not above 0
   */
  public Update increment(long amount) {
    return updateBy(new BoundedCounter.Increment(amount));
  }

  /**
   * Subtracts an amount. Executing it throws {@link OperationRefusedException} if this data centre
   * lacks the rights.
   *
   * @param amount above 0
   * @throws OperationRefusedException if the amount is not above 0
   */
  public Update decrement(long amount) {
    return updateBy(new BoundedCounter.Decrement(amount));
  }

  /**
   * Transfers rights of this data centre to another one. Executing it throws {@link
   * OperationRefusedException} if this data centre lacks the rights.
   *
   * @param amount above 0
   * @param dataCentre the number of the receiving data centre
   * @throws OperationRefusedException if the amount is not above 0, or the number is out of range
   */
  public Update transfer(long amount, int dataCentre) {
    return updateBy(new BoundedCounter.Transfer(amount, dataCentre));
  }

  /**
   * A key for reading the rights of each data centre, by its number. Their sum is the counter's
   * value.
   */
  public Key<SortedMap<Integer, Long>> rights() {
    return new ViewKey<>(path(), BoundedCounter.TYPE, BoundedCounter.RIGHTS);
  }

  @Override
  Optional<ObjectQuery<?, Long>> valueQuery() {
    return Optional.of(ask(new Question.Total()));
  }

  @Override
  BoundedCounterKey at(ObjectPath other) {
    return new BoundedCounterKey(other);
  }
}
