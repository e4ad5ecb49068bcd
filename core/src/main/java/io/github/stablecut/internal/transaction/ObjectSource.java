package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import java.util.Objects;
import java.util.Optional;

/** Reads objects at one snapshot. */
interface ObjectSource {
  /** The snapshot. */
  VectorClock snapshot();

  /** Whether objects are as at first as types that they don't have, and may be written as those. */
  default boolean isOfAnyType() {
    return false;
  }

  /** The state of a key's stored object. */
  Object state(Key<?> key);

  /** As {@link #state}, for a reader of the key: parts that it does not name may be missing. */
  Object stateFor(Key<?> key);

  /**
   * Whether a key's stored object has the type of the key and others: then a transaction may write
   * it as each of them.
   */
  boolean hasSeveralTypes(Key<?> key);

  /** The answer to a question, from the partition that has the object. */
  <A> A ask(ObjectQuery<A, ?> query);

  /** The effect of an operation on a key's stored object. */
  default Object downstream(Key<?> key, Object operation, OperationContext context) {
    return CallTypes.downstream(key.type(), operation, state(key), context);
  }

  /** The answer to a query. */
  default <V> V read(Query<V> query) {
    return query instanceof ObjectQuery<?, V> question
        ? answer(question)
        : value((Key<V>) Objects.requireNonNull(query, "query"));
  }

  private <V> V value(Key<V> key) {
    Optional<ObjectQuery<?, V>> question = key.valueInMap();
    return question.isPresent() ? answer(question.get()) : key.view(stateFor(key), snapshot());
  }

  private <A, V> V answer(ObjectQuery<A, V> query) {
    return query.decode(ask(query));
  }
}
