package io.github.stablecut.key;

import io.github.stablecut.Reader;
import io.github.stablecut.causality.VectorClock;

/**
 * A read of one object: of its value, for which its {@link Key} stands, or of a part of it, such as
 * {@link SetKey#contains}. A query is a value: creating one has no effect on a store; {@link
 * Reader#read(Query)} answers it. Immutable.
 *
 * <p>If the object is on another node, a query of a part transfers only this part. A key of an
 * object in a map transfers only that object, without the rest of the map. A transaction that
 * certifies its reads depends only on the part that the query read.
 *
 * @param <V> the answer
 */
public sealed interface Query<V> permits Key, ObjectQuery {
  /** The key of the object. */
  Key<?> target();

  /**
   * Computes the answer from a state of the stored object. For implementations of {@link Reader}.
   *
   * @param state a state of {@link Key#type()}
   * @param snapshot the snapshot at which the state was read
   */
  V view(Object state, VectorClock snapshot);
}
