package io.github.stablecut;

import io.github.stablecut.key.Update;
import java.util.List;

/**
 * The updates of one transaction in one bucket. Immutable.
 *
 * @param snapshot the store right after the transaction, readable while that point is retained
 * @param updates the updates as {@link PreCommitHook}s left them, in the order of execution
 */
public record CommittedUpdates(Snapshot snapshot, List<Update> updates) {
  /** Copies the list. */
  public CommittedUpdates {
    updates = List.copyOf(updates);
  }

  /** The point after the transaction. */
  public CausalToken token() {
    return snapshot.token();
  }
}
