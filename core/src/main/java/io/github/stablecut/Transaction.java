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
 * before it commits. Ends by {@link #commit}, {@link #abort} or {@link #close}; an abandoned one is
 * ended when it reaches the store's maximum age. Confined to one thread at a time.
 *
 * <p>After the end calls throw {@link TransactionEndedException}; after the maximum age {@link
 * TransactionExpiredException}. While a nested transaction is open, they throw {@link
 * NestedTransactionOpenException}, {@link #close} excepted, which ends both.
 */
public interface Transaction extends Reader, AutoCloseable {
  /**
   * The objects of a part of a bucket, with the transaction's own updates up to this call. Of an
   * object that is updated while the scan goes on, the value is that at the time when the scan
   * comes to it. Certified with its reads ({@link Certification#READS_WRITES}), a transaction
   * depends on the part of the range that the scan has gone through: on objects that are not there,
   * too.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if the snapshot is not kept any
   *     more
   */
  Scan scan(ScanOptions options);

  /**
   * Executes updates in order, each seeing the earlier ones of the transaction. If one is refused,
   * the call has no effect and the transaction goes on.
   *
   * @throws TypeMismatchException if an object has another type than its key
   * @throws LimitExceededException if the transaction becomes too large
   */
  void update(Update... updates);

  /**
   * Commits and waits until the updates are durable and visible.
   *
   * @return a token of a point at which the updates are seen; if there are none, the transaction's
   *     snapshot
   * @throws ConflictException if it has to be certified ({@link Certification}) and another one was
   *     faster; it has no effect
   */
  @CanIgnoreReturnValue
  CausalToken commit();

  /** As {@link #commit}, without blocking; the stage completes on the store's executor. */
  CompletionStage<CausalToken> commitAsync();

  /**
   * Begins a transaction inside of this one: it reads the same snapshot and the updates so far. Its
   * commit makes its updates this one's, and waits for nothing; its abort takes them back. Only the
   * commit of the outermost transaction makes anything durable or visible to others, so the token
   * of an inner commit is the snapshot. What an aborted one has read stays certified ({@link
   * Certification#READS_WRITES}), because the user knows it.
   *
   * @throws LimitExceededException if it would be nested too deep ({@link
   *     StoreOptions.Limits#nestingDepth})
   */
  Transaction begin();

  /** Ends the transaction without effect; does nothing if a hook has aborted it already. */
  void abort();

  /** The snapshot that the transaction reads. */
  CausalToken snapshot();

  /** Aborts if the transaction has not ended. */
  @Override
  void close();
}
