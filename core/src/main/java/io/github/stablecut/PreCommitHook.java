package io.github.stablecut;

import io.github.stablecut.error.HookFailedException;
import io.github.stablecut.key.Update;

/** Inspects each update of a bucket before it is executed, and may replace or refuse it. */
@FunctionalInterface
public interface PreCommitHook {
  /**
   * Called for each update when the transaction executes it, so that the transaction reads its
   * final updates. Called concurrently from several threads, and again if a transaction is retried.
   * The transaction may still abort after this call.
   *
   * @param update the update as the caller, or the preceding hook, requested it
   * @param snapshot the snapshot that the transaction reads, without its own updates
   * @return the same update, or another update of the same object
   * @throws Exception to refuse the update: the transaction is aborted, and its caller receives a
   *     {@link HookFailedException} with the message of this exception
   */
  Update beforeCommit(Update update, Snapshot snapshot) throws Exception;
}
