package io.github.stablecut;

import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.Query;
import java.util.Collection;

/** Reads objects; implemented by stores, snapshots and transactions. */
public interface Reader {
  /**
   * Reads the value of an object, or answers another query about it. An object that was never
   * updated has its type's initial value, such as 0 or empty.
   *
   * @throws TypeMismatchException if the object's type differs from the key's
   */
  <V> V read(Query<V> query);

  /**
   * Answers several queries at one snapshot: of each transaction, either all updates are visible or
   * none.
   *
   * @throws TypeMismatchException if an object's type differs from its key's
   */
  Values read(Collection<? extends Query<?>> queries);
}
