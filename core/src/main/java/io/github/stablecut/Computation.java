package io.github.stablecut;

import io.github.stablecut.key.Update;
import java.util.List;

/**
 * The result of a function for {@link Store#compute}. Immutable.
 *
 * @param updates the updates to execute, in order, each seeing the earlier ones; may be empty
 * @param result the return value of the call
 */
public record Computation<R>(List<Update> updates, R result) {
  /** Copies the list. */
  public Computation {
    updates = List.copyOf(updates);
  }

  /** Creates a computation from a result and the updates to execute. */
  public static <R> Computation<R> of(R result, Update... updates) {
    return new Computation<>(List.of(updates), result);
  }
}
