package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;

/**
 * Rejects all reads, so that a transaction never waits: each read throws {@link NotBlindException}.
 */
record WriteOnlySource(VectorClock snapshot) implements ObjectSource {
  /** Thrown when an operation has to read its object. */
  static final class NotBlindException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private NotBlindException() {
      super("the operation has to read its object", null, false, false);
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
