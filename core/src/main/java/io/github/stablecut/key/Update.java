package io.github.stablecut.key;

import io.github.stablecut.error.LimitExceededException;
import java.util.Optional;

/** An operation on an object, not executed yet; keys make them. Immutable. */
public final class Update {
  private final Key<?> key;
  private final Object own;
  private final Object operation;

  /**
   * @param own an operation of the object's own type
   * @throws LimitExceededException if the object is nested too deep
   */
  Update(Key<?> key, Object own) {
    this.key = key;
    this.own = own;
    this.operation = key.place().storedOperation(key.ownType(), own);
  }

  /**
   * An operation on a stored object. For implementations of {@code Store}.
   *
   * @param operation of the key's {@link Key#type()}
   */
  public static Update of(Key<?> key, Object operation) {
    return new Update(key, operation);
  }

  /** The object. */
  public Key<?> key() {
    return key;
  }

  /** What is done to the stored object: an operation of the key's {@link Key#type()}. */
  public Object operation() {
    return operation;
  }

  /** What is done to an object that the updated one is or is in; empty if it isn't in that. */
  Optional<Object> operationAt(ObjectPath outer) {
    return key.place().operationAt(outer, key.ownType(), own);
  }

  @Override
  public String toString() {
    return own + " on " + key;
  }
}
