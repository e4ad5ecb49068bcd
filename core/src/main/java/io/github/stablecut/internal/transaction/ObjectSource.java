package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;

/** Reads objects at one snapshot. */
interface ObjectSource {
  /** The snapshot. */
  VectorClock snapshot();

  /** The state of a key's stored object. */
  Object state(Key<?> key);

  /** The answer to a question, from the partition that has the object. */
  <A> A ask(ObjectQuery<A, ?> query);

  /** The answer to a query. */
  default <V> V read(Query<V> query) {
    return query instanceof ObjectQuery<?, V> question
        ? answer(question)
        : query.view(state(query.target()), snapshot());
  }

  private <A, V> V answer(ObjectQuery<A, V> query) {
    return query.decode(ask(query));
  }
}
