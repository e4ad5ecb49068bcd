package io.github.stablecut;

/** Is notified of transactions that have updated a bucket, once they are durable. */
@FunctionalInterface
public interface PostCommitHook {
  /**
   * Called at most once for a transaction, from several threads at a time, in no certain order, and
   * not after a crash: use {@link Store#watch} if you must not miss any. It can't affect the
   * transaction any more.
   *
   * @throws Exception if it failed; that is counted and logged, and nothing is repeated
   */
  void afterCommit(CommittedUpdates committed) throws Exception;
}
