package io.github.stablecut;

/** An operation on an object, not executed yet; keys make them. Immutable. */
public final class Update {
  private final Key<?> key;
  private final Object operation;

  Update(Key<?> key, Object operation) {
    this.key = key;
    this.operation = operation;
  }

  /** The object. */
  public Key<?> key() {
    return key;
  }

  /** What is done to it: an operation of the key's type. */
  public Object operation() {
    return operation;
  }

  @Override
  public String toString() {
    return operation + " on " + key;
  }
}
