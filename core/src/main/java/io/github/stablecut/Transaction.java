package io.github.stablecut;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.NestedTransactionOpenException;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.StoreOptions;
import java.util.concurrent.CompletionStage;

/**
 * An interactive transaction: reads one snapshot and its own updates, and has no effect on others
 * before it commits. It ends with {@link #commit}, {@link #abort} or {@link #close}; the store
 * aborts an abandoned one when it reaches the maximum age. Confined to one thread at a time.
 *
 * <p>After the end, calls throw {@link TransactionEndedException}; after the maximum age, {@link
 * TransactionExpiredException}. While a nested transaction is open, they throw {@link
 * NestedTransactionOpenException}, except {@link #close}, which ends both.
 */
public interface Transaction extends Reader, AutoCloseable {
  /**
   * Scans a range of a bucket, including the transaction's own updates up to this call. If the
   * transaction updates an object during the scan, the scan returns the value at the time when it
   * reaches the object.
   *
   * <p>If the transaction certifies its reads ({@link Certification#READS_WRITES}), it depends on
   * the part of the range that the scan has covered, including the absence of other objects.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if the snapshot is no longer
   *     retained
   */
  Scan scan(ScanOptions options);

  /**
   * Executes updates in order, each seeing the earlier ones of the transaction. If one is refused,
   * the call has no effect and the transaction stays open.
   *
   * @throws TypeMismatchException if an object's type differs from its key's
   * @throws LimitExceededException if the transaction becomes too large
   */
  void update(Update... updates);

  /**
   * Commits and waits until the updates are durable and visible.
   *
   * @return a token whose snapshot contains the updates; without updates, the transaction's
   *     snapshot
   * @throws ConflictException if the transaction must be certified ({@link Certification}) and
   *     another one committed first; it has no effect
   */
  @CanIgnoreReturnValue
  CausalToken commit();

  /** Like {@link #commit}, without blocking; the stage completes on the store's executor. */
  CompletionStage<CausalToken> commitAsync();

  /**
   * Begins a nested transaction, which reads the same snapshot and the updates so far. Its commit
   * merges its updates into this transaction, without waiting; its abort discards them. Only the
   * commit of the outermost transaction makes updates durable and visible to others. The token of
   * an inner commit is therefore the snapshot. The reads of an aborted nested transaction stay
   * certified ({@link Certification#READS_WRITES}), because the caller has seen them.
   *
   * @throws LimitExceededException if the nesting would be too deep ({@link
   *     StoreOptions.Limits#nestingDepth})
   */
  Transaction begin();

  /** Ends the transaction without effect; does nothing if a hook has already aborted it. */
  void abort();

  /** The snapshot that the transaction reads. */
  CausalToken snapshot();

  /** Aborts if the transaction has not ended. */
  @Override
  void close();
}
