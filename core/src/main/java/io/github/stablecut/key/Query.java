package io.github.stablecut.key;

import io.github.stablecut.Reader;
import io.github.stablecut.causality.VectorClock;

/**
 * Something that can be read of one object: its value, which its {@link Key} stands for, or a part
 * of it, such as {@link SetKey#contains}. A query is a value: making one does nothing to any store;
 * {@link Reader#read(Query)} answers it. Immutable.
 *
 * <p>Of an object on another node a part travels alone, where a value travels whole: that of an
 * object in a map without the rest of the map. And a transaction that is certified with its reads
 * depends on that part only.
 *
 * @param <V> the answer
 */
public sealed interface Query<V> permits Key, ObjectQuery {
  /** The key of the object. */
  Key<?> target();

  /**
   * The answer, from a state of the stored object. For implementations of {@link Reader}.
   *
   * @param state a state of {@link Key#type()}
   * @param snapshot what it was read at
   */
  V view(Object state, VectorClock snapshot);
}
