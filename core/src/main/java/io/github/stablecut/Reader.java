package io.github.stablecut;

import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.Query;
import java.util.Collection;

/** A store, snapshot or transaction, from which objects can be read. */
public interface Reader {
  /**
   * The value of an object, or the answer to another query about it. An object that nothing was
   * ever done to has its type's first value: 0, empty.
   *
   * @throws TypeMismatchException if the object has another type than the key
   */
  <V> V read(Query<V> query);

  /**
   * The answers to several queries at one snapshot: of a transaction's updates all are seen or
   * none.
   *
   * @throws TypeMismatchException if an object has another type than its key
   */
  Values read(Collection<? extends Query<?>> queries);
}
