package io.github.stablecut;

/** Receives the transactions that updated a bucket, once they are durable. */
@FunctionalInterface
public interface PostCommitHook {
  /**
   * Called at most once per transaction, concurrently from several threads, in no particular order.
   * After a crash, pending calls are lost; use {@link Store#watch} if every change must be seen.
   * The hook can no longer affect the transaction.
   *
   * @throws Exception if the hook failed; the failure is counted and logged, and the call is not
   *     repeated
   */
  void afterCommit(CommittedUpdates committed) throws Exception;
}
