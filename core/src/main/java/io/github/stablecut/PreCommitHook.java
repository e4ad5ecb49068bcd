package io.github.stablecut;

import io.github.stablecut.error.HookFailedException;
import io.github.stablecut.key.Update;

/** Looks at the updates of a bucket before they are executed, and may replace or refuse them. */
@FunctionalInterface
public interface PreCommitHook {
  /**
   * Called for each update when the transaction executes it, so that the transaction reads what
   * will be committed. Called from several threads at a time, and again if a transaction is run
   * again; whether the transaction commits is not known yet.
   *
   * @param update what the user, or the hook before this one, wants to be done
   * @param snapshot what the transaction reads, without its own updates
   * @return the same, or another update of the same object
   * @throws Exception to refuse: the transaction is aborted, and its user gets a {@link
   *     HookFailedException} with this one's message
   */
  Update beforeCommit(Update update, Snapshot snapshot) throws Exception;
}
