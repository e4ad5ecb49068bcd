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
 * A store of replicated objects with transactions that are atomic and causally consistent: each
 * reads one snapshot, and concurrent ones never conflict, because the objects' types define how
 * concurrent operations merge. Thread-safe.
 *
 * <p>Acknowledged calls are durable (see {@link Durability}) and visible to everything that begins
 * later. In a store of one partition reads never wait for writes; in one of several partitions a
 * read waits for a transaction on the same object that is being committed over partitions, at most
 * for {@link Timeouts#read}.
 *
 * <p>Calls throw {@link StoreClosedException} after {@link #close}, and {@link
 * NullPointerException} for nulls.
 */
public interface Store extends Reader, AutoCloseable {
  /**
   * Executes updates as one transaction. If it has to be certified, it is retried after conflicts,
   * a few dozen times at most.
   *
   * @param updates executed in order, each seeing the earlier ones
   * @return a token whose snapshot contains them
   * @throws TypeMismatchException if an object has another type than its key; nothing was changed
   * @throws LimitExceededException if they are too large; nothing was changed
   * @throws ConflictException if all attempts had conflicts; nothing was changed
   */
  @CanIgnoreReturnValue
  CausalToken update(Update... updates);

  /**
   * As {@link #update}, and executed once even if an answer is lost. A store on a server ({@link
   * Stablecut#connect}) makes the request again, at another server if one fails, until it is
   * answered. A store in this process has no answers to lose.
   *
   * @throws io.github.stablecut.error.OutcomeUnknownException if no server has answered in time
   */
  @CanIgnoreReturnValue
  default CausalToken updateOnce(Update... updates) {
    return update(updates);
  }

  /**
   * As {@link #update}, without waiting until it is durable; the stage completes on the store's
   * executor. Blocks only while too many earlier calls are not durable.
   */
  CompletionStage<CausalToken> updateAsync(Update... updates);

  /**
   * As {@link #read(Query)}, on the store's executor; if that rejects the task, rethrows its
   * exception.
   */
  <V> CompletionStage<V> readAsync(Query<V> query);

  /** As {@link #read(Collection)}, on the store's executor. */
  CompletionStage<Values> readAsync(Collection<? extends Query<?>> queries);

  /**
   * Executes updates if a condition holds (a compare-and-set), without any other write to the
   * objects between the evaluation of the condition and the update. Linearisable: each call takes
   * effect atomically between its start and its end. Concurrent calls on one object share a sync.
   *
   * @param queries the inputs of the condition: objects, or parts of them
   * @param condition is evaluated on the calling thread, and again after a conflict; it must depend
   *     on its argument only, and return quickly, because other writes may wait for it. If it
   *     throws, nothing is changed, and the call rethrows its exception once the values it was
   *     given are durable. It must not call methods of the store that write or wait ({@link
   *     NestedCallException})
   * @param updates at least one; executed in order, each seeing the earlier ones
   * @return whether the condition held; a negative outcome is as durable as a write
   * @throws TransactionTimeoutException if other conditional writes of the objects took too long
   *     ({@link Timeouts#commit}); nothing was changed
   * @throws ConflictException if a thousand attempts had conflicts; nothing was changed
   */
  @CanIgnoreReturnValue
  ConditionalResult compareAndUpdate(
      Collection<? extends Query<?>> queries,
      Predicate<? super Values> condition,
      Update... updates);

  /**
   * As {@link #compareAndUpdate(Collection, Predicate, Update...)}, with a condition that is data:
   * it is evaluated at the objects' partition, on another node as well, and reads only what it
   * compares.
   *
   * @return the values that the condition has compared are in {@link ConditionalResult#found}
   */
  @CanIgnoreReturnValue
  ConditionalResult compareAndUpdate(Condition condition, Update... updates);

  /**
   * Computes updates from current values, and executes them atomically if these have not changed:
   * linearisable, as {@link #compareAndUpdate(Collection, Predicate, Update...)}.
   *
   * <pre>{@code
   * long ticket = store.compute(List.of(next), found -> Computation.of(found.get(next), next.increment()));
   * }</pre>
   *
   * @param queries the inputs of the function
   * @param function is called on the calling thread, and again after a conflict; the same rules as
   *     for conditions apply. It may update objects of the queries only
   * @return the function's result, when its updates are durable
   * @throws IllegalArgumentException if it updates another object; nothing was changed
   */
  <R> R compute(
      Collection<? extends Query<?>> queries, Function<? super Values, Computation<R>> function);

  /**
   * Reads linearisably: waits for commits to the object that are in progress. {@link #read(Query)}
   * does not wait, and sees acknowledged commits.
   */
  <V> V readLatest(Query<V> query);

  /**
   * Deletes the objects of a range: it returns them to their initial state, except for concurrent
   * writes. Uses transactions of up to a thousand objects, and several transactions for a large
   * object, so it is not atomic; a call that fails, with whatever exception, may have deleted some
   * of them, and a repetition continues with the rest.
   *
   * <p>Registers are cleared, flags disabled; sets, maps, lists and texts are emptied; resettable
   * counters are reset; expiring objects expire. Plain and bounded counters, counter maps, streams,
   * and grow-only sets and maps have no deletion: such objects remain, and are counted in {@link
   * DeleteRangeResult#kept}.
   *
   * @param range a limit counts deleted and kept objects; a repeated call starts to count again
   * @throws LimitExceededException if even a part of a single object exceeds the limit of an
   *     operation, because limits were lowered; objects before it are deleted
   */
  @CanIgnoreReturnValue
  DeleteRangeResult deleteRange(ScanOptions range);

  /** Opens a session: requests that are executed once, however often they are sent. */
  Session openSession();

  /** Resumes a session that was opened before, here or on the same directory. */
  Session session(SessionId id);

  /** Begins a transaction at the newest snapshot. Must be committed or closed. */
  default Transaction begin() {
    return begin(TransactionOptions.defaults());
  }

  /**
   * Begins a transaction.
   *
   * @throws UnknownSnapshotException if the store has not reached the token that the snapshot must
   *     include
   */
  Transaction begin(TransactionOptions options);

  /**
   * Runs a function in a transaction and commits; if the function throws, aborts and rethrows. The
   * function runs once, as the transaction is not certified.
   *
   * @return what the function returned
   */
  default <R> R transact(Function<? super Transaction, ? extends R> body) {
    try (Transaction transaction = begin()) {
      R result = body.apply(transaction);
      transaction.commit();
      return result;
    }
  }

  /**
   * As {@link #transact(Function)}, with options. If the transaction is certified ({@link
   * Certification}), it is retried in a new transaction, after a pause, if its commit had a
   * conflict. What the function throws is rethrown at once.
   *
   * @param body may run several times, and must depend on its reads only
   * @throws ConflictException if the commits of a thousand attempts, within some seconds, had
   *     conflicts
   */
  default <R> R transact(
      TransactionOptions options, Function<? super Transaction, ? extends R> body) {
    return CertifiedRetries.untilWon(() -> begin(options), body);
  }

  /**
   * As {@link #transact(Function)}, for callers that continue elsewhere from their writes.
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
   * As {@link #transact(Function)}, on the store's executor; if that rejects the task, rethrows its
   * exception.
   */
  <R> CompletionStage<R> transactAsync(Function<? super Transaction, ? extends R> body);

  /**
   * Runs code in a transaction and commits; if it throws, aborts and rethrows.
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
   * The store as of a token. The point is not pinned: reading it throws {@link
   * SnapshotTruncatedException} once it is no longer retained.
   *
   * @throws UnknownSnapshotException if the token is another store's or ahead of this one
   * @throws SnapshotTruncatedException if it is not kept any more
   */
  Snapshot at(CausalToken token);

  /**
   * The store as of a wall-clock time: with everything committed until the end of that millisecond.
   * Commits have the time of the machine that made them, which may be a few milliseconds ahead of
   * this one's; only a token ({@link #at(CausalToken)}) is exact. A time in the future means now.
   * Not pinned, as {@link #at(CausalToken)}.
   *
   * @throws SnapshotTruncatedException if that point is not kept any more
   */
  default Snapshot at(Instant time) {
    return at(snapshot().token().noLaterThan(time));
  }

  /**
   * The store as of now. On a node of a cluster, it contains those commits of other nodes that this
   * one has learned of.
   */
  Snapshot snapshot();

  /**
   * The store as of now or, with {@link SnapshotOptions#nearest}, as known to the copies of
   * partitions on the contacted node: about a quarter of a second old at most while leaders are
   * reachable, otherwise as old as the last message from them. It is a consistent snapshot of
   * commits that are never undone, and is read from these copies without requests to other nodes;
   * partitions without a copy there are read from their leaders. Without copies it is {@link
   * #snapshot()}.
   *
   * @throws UnknownSnapshotException if the token that it must include is another store's or ahead
   *     of this one
   * @throws io.github.stablecut.error.ReadTimeoutException if the copies have not reached the token
   *     in time
   */
  Snapshot snapshot(SnapshotOptions options);

  /**
   * The store as of now, on all nodes of a cluster: as {@link #snapshot}, but including everything
   * that any node has acknowledged for some objects before this call. Reading them from it is
   * linearisable. A node that does not own the objects' partitions asks the nodes that do; in one
   * process it costs nothing.
   *
   * @param keys the objects; none means all objects
   * @throws io.github.stablecut.error.PartitionUnavailableException if a partition that has to be
   *     asked is unreachable
   * @throws io.github.stablecut.error.ReadTimeoutException if a transaction on one of the objects
   *     stays undecided for too long
   */
  Snapshot latest(Key<?>... keys);

  /**
   * Pins a point of the history, so that it can be read until the pin is closed.
   *
   * @throws UnknownSnapshotException if the token is another store's or ahead of this one
   * @throws SnapshotTruncatedException if it is not kept any more
   */
  Pin pin(CausalToken token);

  /**
   * Watches the objects of a bucket whose keys begin with some bytes.
   *
   * @throws UnknownSnapshotException if the token is another store's or ahead of this one
   * @throws SnapshotTruncatedException if what came after the token is not kept any more
   * @throws LimitExceededException if too many are open ({@link StoreOptions.Limits#openWatches})
   */
  Watch watch(Bytes bucket, Bytes keyPrefix, WatchOptions options);

  /** As {@link #watch(Bytes, Bytes, WatchOptions)}, with the UTF-8 bytes of texts. */
  default Watch watch(String bucket, String keyPrefix, WatchOptions options) {
    return watch(Bytes.utf8(bucket), Bytes.utf8(keyPrefix), options);
  }

  /** Watches what is committed from now on to the objects of a bucket. */
  default Watch watch(String bucket) {
    return watch(bucket, "", WatchOptions.fromNow());
  }

  /**
   * Makes a checkpoint now, removes what it supersedes, and waits for both. Normally not needed:
   * see {@link CheckpointPolicy}.
   *
   * @throws io.github.stablecut.error.StablecutException if it failed; the store continues without
   *     it
   */
  void checkpoint();

  /** As {@link #backup(Path, BackupProgress)}, without progress reports. */
  @CanIgnoreReturnValue
  default CausalToken backup(Path target) {
    return backup(target, BackupProgress.NONE);
  }

  /**
   * Writes a backup: a consistent snapshot with everything acknowledged before this call. Readers
   * and writers continue. {@link Stablecut#restore} creates a store from it.
   *
   * <p>The backup of a store in one process has no history, and makes a checkpoint first. On the
   * store's disk it consists of hard links, which take no space and little time. To survive the
   * loss of that disk, copy it to another one.
   *
   * <p>The backup of a cluster copies all partitions from their nodes to this process's disk, with
   * as much history as each of them retains.
   *
   * @param target a directory that is empty or not there
   * @return the point that the backup holds
   * @throws BackupRefusedException if the target is something else; nothing was changed
   * @throws io.github.stablecut.error.DamageException if a file of the store is damaged; no backup
   *     was made
   * @throws io.github.stablecut.error.StablecutException if it failed; no backup was made, and the
   *     store continues
   */
  @CanIgnoreReturnValue
  CausalToken backup(Path target, BackupProgress progress);

  /**
   * The partition that an object is on, numbered from 0. Objects whose keys have the same part in
   * braces are on one.
   */
  int partitionOf(Key<?> key);

  /**
   * The data centres of the store's group; this one alone if it was not opened with {@link
   * io.github.stablecut.replication.Replication}.
   */
  DataCentres dataCentres();

  /** Statistics and health. */
  StoreStatus status();

  /** Makes pending commits durable, and closes. Open transactions are aborted. Idempotent. */
  @Override
  void close();
}
