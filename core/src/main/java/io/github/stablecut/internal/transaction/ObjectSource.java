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

  /**
   * Whether keys' types are not checked: as a type that it does not have, an object is in its
   * initial state and may be written.
   */
  default boolean allowsOtherTypes() {
    return false;
  }

  /** Returns the state of a key's stored object. */
  Object state(Key<?> key);

  /**
   * Like {@link #state}, for a reader of the key: parts that the key does not name may be missing.
   */
  Object stateFor(Key<?> key);

  /**
   * Whether a key's stored object has the key's type and others: a transaction may write it as each
   * of them.
   */
  boolean hasSeveralTypes(Key<?> key);

  /** Returns the answer to a question, computed by the object's partition. */
  <A> A ask(ObjectQuery<A, ?> query);

  /** Returns the effect of an operation on a key's stored object. */
  default Object downstream(Key<?> key, Object operation, OperationContext context) {
    return CallTypes.downstream(key.type(), operation, state(key), context);
  }

  /** Returns the answer to a query. */
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
