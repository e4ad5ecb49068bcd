package io.github.stablecut.object;

import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;

/**
 * A space for objects in a transaction. As confined as the transaction.
 *
 * @param origin the space that began it; empty if unknown, and then no tasks run afterwards
 * @param afterCommit the tasks to run when the outermost transaction has committed
 * @param isReadOnly whether calls that change objects are refused
 */
public record TransactionSpace(
    Transaction transaction,
    Optional<StoreSpace> origin,
    AfterCommit afterCommit,
    boolean isReadOnly)
    implements ObjectSpace {
  /** Returns whether logs may be summarized. */
  boolean mayTrim() {
    return origin.filter(StoreSpace::isAlone).isPresent();
  }

  @Override
  public <V> V read(Query<V> query) {
    return transaction.read(query);
  }

  @Override
  public Values read(Collection<? extends Query<?>> queries) {
    return transaction.read(queries);
  }

  @Override
  public void update(Update... updates) {
    if (isReadOnly) {
      throw SnapshotSpace.readOnly();
    }
    transaction.update(updates);
  }

  @Override
  public <R> R transact(Function<? super ObjectSpace, ? extends R> body) {
    if (isReadOnly) {
      return body.apply(this);
    }
    try (Transaction nested = transaction.begin()) {
      R result = body.apply(new TransactionSpace(nested, origin, afterCommit, false));
      nested.commit();
      return result;
    }
  }

  @Override
  public <R> R snapshot(Function<? super ObjectSpace, ? extends R> body) {
    return body.apply(new TransactionSpace(transaction, origin, afterCommit, true));
  }
}
