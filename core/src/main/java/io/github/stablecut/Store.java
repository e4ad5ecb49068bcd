package io.github.stablecut;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.BackupRefusedException;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.NestedCallException;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.error.TransactionTimeoutException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.SnapshotOptions;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.Timeouts;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.option.WatchOptions;
import io.github.stablecut.replication.DataCentres;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A store of replicated objects with atomic, causally consistent transactions. Each transaction
 * reads one snapshot. Concurrent transactions never conflict, because the objects' types define how
 * concurrent operations merge. Thread-safe.
 *
 * <p>Acknowledged calls are durable (see {@link Durability}) and visible to everything that begins
 * later. In a store of one partition, reads never wait for writes. With several partitions, a read
 * of an object waits while a transaction that writes it commits across partitions, for at most
 * {@link Timeouts#read}.
 *
 * <p>Calls throw {@link StoreClosedException} after {@link #close}, and {@link
 * NullPointerException} for nulls.
 */
public interface Store extends Reader, AutoCloseable {
  /**
   * Executes updates as one transaction. If it must be certified, it is retried after conflicts, at
   * most a few dozen times.
   *
   * @param updates executed in order, each seeing the earlier ones
   * @return a token whose snapshot contains the updates
   * @throws TypeMismatchException if an object's type differs from its key's; nothing was changed
   * @throws LimitExceededException if the updates are too large; nothing was changed
   * @throws ConflictException if all attempts had conflicts; nothing was changed
   */
  @CanIgnoreReturnValue
  CausalToken update(Update... updates);

  /**
   * Like {@link #update}, but executed exactly once even if a reply is lost. A store on a server
   * ({@link Stablecut#connect}) repeats the request, at another server if one fails, until a server
   * replies. A store in this process needs no repetition.
   *
   * @throws io.github.stablecut.error.OutcomeUnknownException if no server has replied in time
   */
  @CanIgnoreReturnValue
  default CausalToken updateOnce(Update... updates) {
    return update(updates);
  }

  /**
   * Like {@link #update}, without waiting for durability; the stage completes on the store's
   * executor. Blocks only while too many earlier calls are not yet durable.
   */
  CompletionStage<CausalToken> updateAsync(Update... updates);

  /**
   * Like {@link #read(Query)}, on the store's executor; if that rejects the task, on a thread of
   * the store.
   */
  <V> CompletionStage<V> readAsync(Query<V> query);

  /** Like {@link #read(Collection)}, on the store's executor. */
  CompletionStage<Values> readAsync(Collection<? extends Query<?>> queries);

  /**
   * Executes updates if a condition holds (a compare-and-set). No other write to the objects comes
   * between the evaluation of the condition and the update. Linearizable: each call takes effect
   * atomically between its start and its end. Concurrent calls on one object share a sync.
   *
   * @param queries the inputs of the condition: objects, or parts of them
   * @param condition evaluated on the calling thread, and again after a conflict. It must depend
   *     only on its argument, and return quickly, because other writes may wait for it. If it
   *     throws, nothing is changed, and the call rethrows its exception once the values in its
   *     argument are durable. It must not call methods of the store that write or wait ({@link
   *     NestedCallException})
   * @param updates at least one, executed in order, each seeing the earlier ones
   * @return whether the condition held; a negative outcome is as durable as a write
   * @throws TransactionTimeoutException if other conditional writes of the objects took too long
   *     ({@link Timeouts#commit}); nothing was changed
   * @throws ConflictException if all of 1,000 attempts had conflicts; nothing was changed
   */
  @CanIgnoreReturnValue
  ConditionalResult compareAndUpdate(
      Collection<? extends Query<?>> queries,
      Predicate<? super Values> condition,
      Update... updates);

  /**
   * Like {@link #compareAndUpdate(Collection, Predicate, Update...)}, with a condition as data. It
   * is evaluated where the objects' partition is, even on another node, and reads only what it
   * compares.
   *
   * @return the outcome; {@link ConditionalResult#found} contains the values that the condition
   *     compared
   */
  @CanIgnoreReturnValue
  ConditionalResult compareAndUpdate(Condition condition, Update... updates);

  /**
   * Computes updates from current values, and executes them atomically if the values have not
   * changed. Linearizable, as {@link #compareAndUpdate(Collection, Predicate, Update...)}.
   *
   * <pre>{@code
   * long ticket = store.compute(List.of(next), found -> Computation.of(found.get(next), next.increment()));
   * }</pre>
   *
   * @param queries the inputs of the function
   * @param function called on the calling thread, and again after a conflict; the rules for
   *     conditions apply. It may update only objects of the queries
   * @return the function's result, once its updates are durable
   * @throws IllegalArgumentException if it updates another object, or returns null; nothing was
   *     changed
   */
  @CanIgnoreReturnValue
  <R> R compute(
      Collection<? extends Query<?>> queries, Function<? super Values, Computation<R>> function);

  /**
   * Reads linearizably: waits for commits to the object that are in flight. {@link #read(Query)}
   * does not wait, but sees all acknowledged commits.
   */
  <V> V readLatest(Query<V> query);

  /**
   * Deletes the objects of a range: returns them to their initial state, except for concurrent
   * writes. The call is not atomic: it uses transactions of up to 1,000 objects, and several
   * transactions for a large object. A call that fails, with any exception, may have deleted some
   * objects; a repeated call continues with the rest.
   *
   * <p>Registers are cleared, flags disabled; sets, maps, lists and texts are emptied; resettable
   * counters are reset; expiring objects expire. Plain and bounded counters, counter maps, streams,
   * and grow-only sets and maps have no deletion: they remain, and are counted in {@link
   * DeleteRangeResult#kept}.
   *
   * @param range its limit counts deleted and kept objects; a repeated call counts from zero again
   * @throws LimitExceededException if even a part of a single object exceeds the limit of an
   *     operation, because limits were lowered; the objects before it are deleted
   */
  @CanIgnoreReturnValue
  DeleteRangeResult deleteRange(ScanOptions range);

  /** Opens a session: each of its requests is executed once, however often it is sent. */
  Session openSession();

  /** Resumes a session that this store, or an earlier process on the same directory, opened. */
  Session session(SessionId id);

  /** Begins a transaction at the newest snapshot. The caller must commit or close it. */
  default Transaction begin() {
    return begin(TransactionOptions.defaults());
  }

  /**
   * Begins a transaction.
   *
   * @throws UnknownSnapshotException if the store has not reached the token in the options
   */
  Transaction begin(TransactionOptions options);

  /**
   * Runs a function in a transaction and commits; aborts and rethrows if the function throws. The
   * function runs once, because the transaction is not certified.
   *
   * @return the function's result
   */
  default <R> R transact(Function<? super Transaction, ? extends R> body) {
    try (Transaction transaction = begin()) {
      R result = body.apply(transaction);
      transaction.commit();
      return result;
    }
  }

  /**
   * Like {@link #transact(Function)}, with options. After a conflict of a certified transaction
   * ({@link Certification}), the function runs again in a new transaction, after a pause.
   * Exceptions of the function are rethrown at once.
   *
   * @param body may run several times, and must depend only on its reads
   * @throws ConflictException if the commits of all of 1,000 attempts, over some seconds, had
   *     conflicts
   */
  default <R> R transact(
      TransactionOptions options, Function<? super Transaction, ? extends R> body) {
    return CertifiedRetries.untilCommitted(() -> begin(options), body);
  }

  /**
   * Like {@link #transact(Function)}, for callers that pass on a token of their writes.
   *
   * @return the function's result, and a token whose snapshot contains its updates
   */
  default <R> TransactionResult<R> transactWithToken(
      Function<? super Transaction, ? extends R> body) {
    try (Transaction transaction = begin()) {
      R result = body.apply(transaction);
      return new TransactionResult<>(result, transaction.commit());
    }
  }

  /**
   * Like {@link #transact(Function)}, on the store's executor; if that rejects the task, on a
   * thread of the store.
   */
  <R> CompletionStage<R> transactAsync(Function<? super Transaction, ? extends R> body);

  /**
   * Runs code in a transaction and commits; aborts and rethrows if the code throws.
   *
   * @return a token whose snapshot contains its updates
   */
  @CanIgnoreReturnValue
  default CausalToken run(Consumer<? super Transaction> body) {
    try (Transaction transaction = begin()) {
      body.accept(transaction);
      return transaction.commit();
    }
  }

  /**
   * The store as of a token. The point is not pinned: reads throw {@link
   * SnapshotTruncatedException} once it is no longer retained.
   *
   * @throws UnknownSnapshotException if the token belongs to another store or is ahead of this one
   * @throws SnapshotTruncatedException if the point is no longer retained
   */
  Snapshot at(CausalToken token);

  /**
   * The store as of a wall-clock time: with everything committed by the end of that millisecond.
   * Commits carry the time of the machine that made them, which may differ from this machine's by a
   * few milliseconds; only a token ({@link #at(CausalToken)}) is exact. A time in the future means
   * now. The point is not pinned, as for {@link #at(CausalToken)}.
   *
   * @throws SnapshotTruncatedException if that point is no longer retained
   */
  default Snapshot at(Instant time) {
    return at(snapshot().token().noLaterThan(time));
  }

  /**
   * The store as of now. On a node of a cluster, the snapshot contains those commits of other nodes
   * that this one has learned of.
   */
  Snapshot snapshot();

  /**
   * The store as of now or, with {@link SnapshotOptions#nearest}, as known to the partition
   * replicas on the contacted node. A nearest snapshot is at most about a quarter of a second old
   * while leaders are reachable, otherwise as old as the last message from them. It is consistent,
   * and contains only commits that are never undone. Reads of it use these replicas without
   * requests to other nodes; partitions without a replica there are read from their leaders.
   * Without replicas this is {@link #snapshot()}.
   *
   * @throws UnknownSnapshotException if the token in the options belongs to another store or is
   *     ahead of this one
   * @throws io.github.stablecut.error.ReadTimeoutException if the replicas have not reached the
   *     token in time
   */
  Snapshot snapshot(SnapshotOptions options);

  /**
   * The store as of now, on all nodes of a cluster: as {@link #snapshot}, but including everything
   * that any node has acknowledged for some objects before this call. Reads of these objects from
   * it are linearizable. A node that does not own the objects' partitions asks the owners; in a
   * store of one process the call costs nothing.
   *
   * @param keys the objects; none means all objects
   * @throws io.github.stablecut.error.PartitionUnavailableException if a required partition is
   *     unreachable
   * @throws io.github.stablecut.error.ReadTimeoutException if a transaction on one of the objects
   *     stays undecided for too long
   */
  Snapshot latest(Key<?>... keys);

  /**
   * Pins a point of the history, which stays readable until the pin is closed.
   *
   * @throws UnknownSnapshotException if the token belongs to another store or is ahead of this one
   * @throws SnapshotTruncatedException if the point is no longer retained
   */
  Pin pin(CausalToken token);

  /**
   * Watches the objects of a bucket whose keys start with a prefix.
   *
   * @throws UnknownSnapshotException if the token belongs to another store or is ahead of this one
   * @throws SnapshotTruncatedException if the changes after the token are no longer retained
   * @throws LimitExceededException if too many watches are open ({@link
   *     StoreOptions.Limits#openWatches})
   */
  Watch watch(Bytes bucket, Bytes keyPrefix, WatchOptions options);

  /** Like {@link #watch(Bytes, Bytes, WatchOptions)}, with the UTF-8 bytes of strings. */
  default Watch watch(String bucket, String keyPrefix, WatchOptions options) {
    return watch(Bytes.utf8(bucket), Bytes.utf8(keyPrefix), options);
  }

  /** Watches the objects of a bucket, from the next commit on. */
  default Watch watch(String bucket) {
    return watch(bucket, "", WatchOptions.fromNow());
  }

  /**
   * Makes a checkpoint now, removes the data that it supersedes, and waits for both. Rarely needed:
   * see {@link CheckpointPolicy}.
   *
   * @throws io.github.stablecut.error.StablecutException if the checkpoint failed; the store
   *     continues without it
   */
  void checkpoint();

  /** Like {@link #backup(Path, BackupProgress)}, without progress reports. */
  @CanIgnoreReturnValue
  default CausalToken backup(Path target) {
    return backup(target, BackupProgress.NONE);
  }

  /**
   * Writes a backup: a consistent snapshot with everything acknowledged before this call. Reads and
   * writes continue meanwhile. {@link Stablecut#restore} creates a store from it.
   *
   * <p>The backup of a store in one process has no history, and starts with a checkpoint. On the
   * store's disk it consists of hard links, which take no space and little time. Copy it to another
   * disk to survive the loss of that one.
   *
   * <p>The backup of a cluster copies all partitions from their nodes to this process's disk, with
   * as much history as each of them retains.
   *
   * @param target an empty or new directory
   * @return the point that the backup contains
   * @throws BackupRefusedException if the target is not an empty or new directory; nothing was
   *     changed
   * @throws io.github.stablecut.error.DamageException if a file of the store is damaged; no backup
   *     was made
   * @throws io.github.stablecut.journal.DiskFullException if the target's disk is full; no backup
   *     was made
   * @throws io.github.stablecut.error.StablecutException if the backup failed; no backup was made,
   *     and the store continues
   */
  @CanIgnoreReturnValue
  CausalToken backup(Path target, BackupProgress progress);

  /**
   * The partition of an object, numbered from 0. Objects whose keys contain the same text in braces
   * are on the same partition.
   */
  int partitionOf(Key<?> key);

  /**
   * The data centres of the store's group; only this one if the store was opened without {@link
   * io.github.stablecut.replication.Replication}.
   */
  DataCentres dataCentres();

  /** Statistics and health. */
  StoreStatus status();

  /** Makes pending commits durable, aborts open transactions, and closes. Idempotent. */
  @Override
  void close();
}
