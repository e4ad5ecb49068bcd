package io.github.stablecut.object;

import io.github.stablecut.error.NestedCallException;
import java.util.function.Supplier;

/**
 * Executes the functions of logged operations, which must not use objects. They would find
 * different content for each reader of the log. If they used their own object, they would recurse
 * without end.
 */
final class PureExecution {
  /** Whether the thread is executing such a function. */
  private static final ThreadLocal<Boolean> IS_EXECUTING = ThreadLocal.withInitial(() -> false);

  private PureExecution() {}

  static <S, A, R> Operation.Outcome<S, R> of(
      Operation.MutatorAccessor<S, A, R> operation, S state, A argument) {
    return DeepStackCall.ifNeeded(() -> of(() -> operation.function().apply(state, argument)));
  }

  static <R> R of(Supplier<R> function) {
    boolean outer = IS_EXECUTING.get();
    IS_EXECUTING.set(true);
    try {
      return function.get();
    } finally {
      IS_EXECUTING.set(outer);
    }
  }

  /**
   * Refuses the use of an object by an operation.
   *
   * @throws NestedCallException if the thread is executing an operation
   */
  static void checkNone(Object used) {
    if (IS_EXECUTING.get()) {
      throw new NestedCallException(
          "an operation of an object used %s, which is not permitted: pass the data as its argument"
              .formatted(used));
    }
  }
}
