package io.github.stablecut.key;

import io.github.stablecut.error.LimitExceededException;
import java.util.Optional;

/** An operation on an object, created by its key and not executed yet. Immutable. */
public final class Update {
  private final Key<?> key;
  private final Object own;
  private final Object operation;

  /**
   * @param own an operation of the object's own type
   * @throws LimitExceededException if the object is nested too deeply
   */
  Update(Key<?> key, Object own) {
    this.key = key;
    this.own = own;
    this.operation = key.path().storedOperation(key.ownType(), own);
  }

  /**
   * An update of a stored object. For implementations of {@code Store}.
   *
   * @param operation an operation of the key's {@link Key#type()}
   */
  public static Update of(Key<?> key, Object operation) {
    return new Update(key, operation);
  }

  /** The key of the object. */
  public Key<?> key() {
    return key;
  }

  /** The operation on the stored object, of the key's {@link Key#type()}. */
  public Object operation() {
    return operation;
  }

  /** The operation on the updated object or on one that encloses it; empty for other objects. */
  Optional<Object> operationAt(ObjectPath outer) {
    return key.path().operationAt(outer, key.ownType(), own);
  }

  @Override
  public String toString() {
    return own + " on " + key;
  }
}
