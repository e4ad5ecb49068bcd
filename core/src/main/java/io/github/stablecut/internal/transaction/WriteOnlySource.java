package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;

/**
 * Reads nothing, so that a transaction waits for nothing: whoever needs an object gets {@link
 * NotBlindException}.
 */
record WriteOnlySource(VectorClock snapshot) implements ObjectSource {
  /** An operation needs to know something of an object. */
  static final class NotBlindException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private NotBlindException() {
      super("an operation needs to know its object", null, false, false);
    }
  }

  @Override
  public Object state(Key<?> key) {
    throw new NotBlindException();
  }

  @Override
  public Object stateFor(Key<?> key) {
    throw new NotBlindException();
  }

  @Override
  public boolean hasSeveralTypes(Key<?> key) {
    throw new NotBlindException();
  }

  @Override
  public <A> A ask(ObjectQuery<A, ?> query) {
    throw new NotBlindException();
  }

  @Override
  public Object downstream(Key<?> key, Object operation, OperationContext context) {
    throw new NotBlindException();
  }
}
