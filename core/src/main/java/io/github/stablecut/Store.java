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
 * reads one snapshot, and concurrent ones never conflict, because the objects' types say what
 * concurrent operations make together. Thread-safe.
 *
 * <p>What a call has acknowledged is durable (see {@link Durability}), and is seen by everything
 * that begins later. In a store of one partition reads never wait for writes; in one of several
 * partitions a read waits for a transaction on the same object that is being committed over
 * partitions, at most for {@link Timeouts#read}.
 *
 * <p>Calls throw {@link StoreClosedException} after {@link #close}, and {@link
 * NullPointerException} for nulls.
 */
public interface Store extends Reader, AutoCloseable {
  /**
   * Executes updates as one transaction. If it has to be certified and another one was faster, it
   * is executed again, a few dozen times at most.
   *
   * @param updates executed in order, each seeing the earlier ones
   * @return a token of a point at which they are seen
   * @throws TypeMismatchException if an object has another type than its key; nothing was changed
   * @throws LimitExceededException if they are too large; nothing was changed
   * @throws ConflictException if others were faster each time; nothing was changed
   */
  @CanIgnoreReturnValue
  CausalToken update(Update... updates);

  /**
   * As {@link #update}, without waiting until it is durable; the stage completes on the store's
   * executor. Waits only while too much of earlier calls is not durable.
   */
  CompletionStage<CausalToken> updateAsync(Update... updates);

  /** As {@link #read(Query)}, on the store's executor; if that refuses, throws what it throws. */
  <V> CompletionStage<V> readAsync(Query<V> query);

  /** As {@link #read(Collection)}, on the store's executor. */
  CompletionStage<Values> readAsync(Collection<? extends Query<?>> queries);

  /**
   * Executes updates if a condition holds at that very moment (a compare-and-set): nobody else
   * writes the objects between the answer to the condition and the write. Linearisable: calls take
   * effect one after the other, each between its beginning and its end, and see all that was
   * acknowledged before. Many on one object share a sync.
   *
   * @param queries what the condition is about: objects, or parts of them
   * @param condition is asked on the calling thread, and again if another write was faster; it must
   *     depend on what it is shown only, and hurry, because others may wait for it. If it throws,
   *     nothing is changed and the call throws the same, once what it was shown is durable. Calls
   *     of the store that write or wait are refused in it ({@link NestedCallException})
   * @param updates at least one; executed in order, each seeing the earlier ones
   * @return whether the condition held; that it did not is as durable as a write would be
   * @throws TransactionTimeoutException if other conditional writes of the objects took too long
   *     ({@link Timeouts#commit}); nothing was changed
   * @throws ConflictException if others were faster each time, a thousand times; nothing was
   *     changed
   */
  @CanIgnoreReturnValue
  ConditionalResult compareAndUpdate(
      Collection<? extends Query<?>> queries,
      Predicate<? super Values> condition,
      Update... updates);

  /**
   * As {@link #compareAndUpdate(Collection, Predicate, Update...)}, with a condition that is data:
   * it is evaluated where the objects are, on another node as well, and reads of them what it
   * compares.
   *
   * @return what the condition has compared is in {@link ConditionalResult#found}
   */
  @CanIgnoreReturnValue
  ConditionalResult compareAndUpdate(Condition condition, Update... updates);

  /**
   * Computes updates from what is found, and executes them while it still is what was found: like
   * {@link #compareAndUpdate(Collection, Predicate, Update...)}, linearisable as well.
   *
   * <pre>{@code
   * long ticket = store.compute(List.of(next), found -> Computation.of(found.get(next), next.increment()));
   * }</pre>
   *
   * @param queries what the function is shown
   * @param function is called on the calling thread, and again if another write was faster; what
   *     holds for a condition holds for it. Its updates are of objects that the queries are about
   * @return the function's result, when its updates are durable
   * @throws IllegalArgumentException if it updates another object; nothing was changed
   */
  <R> R compute(
      Collection<? extends Query<?>> queries, Function<? super Values, Computation<R>> function);

  /**
   * The answer to a query at this very moment: waits for what is being committed to the object.
   * {@link #read(Query)} does not wait, and sees what was acknowledged.
   */
  <V> V readLatest(Query<V> query);

  /**
   * Deletes the objects of a range: afterwards a reader sees of each what is seen of one that
   * nothing was done to, unless somebody wrote to it concurrently. Done in transactions of up to a
   * thousand objects, and of a large object in one transaction after the other, so others may see a
   * part of it; a call that failed, whatever it throws, may have deleted some of them; made again,
   * it goes on with what is left.
   *
   * <p>Registers are cleared, flags disabled; sets, maps, lists and texts are emptied; resettable
   * counters are reset; objects that expire cease to be. Plain and bounded counters, counter maps,
   * streams, and sets and maps that only grow have no deletion: such objects stay, and are counted
   * in {@link DeletedRange#kept}.
   *
   * @param range with a limit, the first so many objects are deleted or kept; a call that is made
   *     again counts anew
   * @throws LimitExceededException if even a part of a single object is larger than an operation
   *     may be, because the limits were lowered; objects before it are deleted
   */
  @CanIgnoreReturnValue
  DeletedRange deleteRange(ScanOptions range);

  /** Opens a session: requests that are executed once, however often they are sent. */
  Session openSession();

  /** Goes on with a session that was opened before, here or on the same directory. */
  Session session(SessionId id);

  /** Begins a transaction at the newest snapshot. Close it or commit it. */
  default Transaction begin() {
    return begin(TransactionOptions.defaults());
  }

  /**
   * Begins a transaction.
   *
   * @throws UnknownSnapshotException if the store has not reached the token that the snapshot must
   *     contain
   */
  Transaction begin(TransactionOptions options);

  /**
   * Runs a function in a transaction and commits; if the function throws, aborts and throws the
   * same. It is run once, as it is not certified.
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
   * Certification}) and another one was first, the function is run again in a new transaction,
   * after a pause, until it wins.
   *
   * @param body may be run several times, and depends on nothing but what it reads
   * @throws ConflictException if it has lost a thousand times, within some seconds
   */
  default <R> R transact(
      TransactionOptions options, Function<? super Transaction, ? extends R> body) {
    return Attempts.untilWon(
        () -> {
          try (Transaction transaction = begin(options)) {
            R result = body.apply(transaction);
            transaction.commit();
            return result;
          }
        });
  }

  /**
   * As {@link #transact(Function)}, for callers that go on elsewhere from what they have written.
   *
   * @return what the function returned, and a token of a point at which its updates are seen
   */
  default <R> Transacted<R> transactWithToken(Function<? super Transaction, ? extends R> body) {
    try (Transaction transaction = begin()) {
      R result = body.apply(transaction);
      return new Transacted<>(result, transaction.commit());
    }
  }

  /**
   * As {@link #transact(Function)}, on the store's executor; if that refuses, throws what it
   * throws.
   */
  <R> CompletionStage<R> transactAsync(Function<? super Transaction, ? extends R> body);

  /**
   * Runs some code in a transaction and commits; if it throws, aborts and throws the same.
   *
   * @return a token of a point at which its updates are seen
   */
  @CanIgnoreReturnValue
  default CausalToken run(Consumer<? super Transaction> body) {
    try (Transaction transaction = begin()) {
      body.accept(transaction);
      return transaction.commit();
    }
  }

  /**
   * The store as it was at a token. The point is not claimed: reading it throws {@link
   * SnapshotTruncatedException} once it is not kept any more.
   *
   * @throws UnknownSnapshotException if the token is another store's or ahead of this one
   * @throws SnapshotTruncatedException if it is not kept any more
   */
  Snapshot at(CausalToken token);

  /**
   * The store as it was at a wall-clock time: with all that was committed until the end of that
   * millisecond. Commits have the time of the machine that made them, which may be a few
   * milliseconds ahead of this one's; a point is told exactly by its token ({@link
   * #at(CausalToken)}). Of a time that has not come this is the store as it is now. Not claimed, as
   * {@link #at(CausalToken)}.
   *
   * @throws SnapshotTruncatedException if that point is not kept any more
   */
  default Snapshot at(Instant time) {
    return at(snapshot().token().noLaterThan(time));
  }

  /**
   * The store as it is now; it stays so. On a node of a cluster, it has of what other nodes have
   * acknowledged as much as this one has heard of.
   */
  Snapshot snapshot();

  /**
   * The store as it is now or, with {@link SnapshotOptions#nearest}, as the copies of partitions on
   * the node that is asked know it: as it was a moment ago, about a quarter of a second at most
   * while leaders answer, and as they have heard last while they don't. Nothing of it is ever taken
   * back, and it is of one moment. These copies answer what is read from it, without asking
   * anybody; of partitions without a copy there, those that lead. Where nothing has copies it is
   * {@link #snapshot()}.
   *
   * @throws UnknownSnapshotException if the token that it must contain is another store's or ahead
   *     of this one
   * @throws io.github.stablecut.error.ReadTimeoutException if the copies have not heard of that
   *     point in time
   */
  Snapshot snapshot(SnapshotOptions options);

  /**
   * The store as it is now, on all nodes of a cluster: as {@link #snapshot}, but it has all that
   * was acknowledged of some objects before this call, by whichever node. Reading them from it is
   * linearisable. On a node that does not own the objects' partitions, this asks the nodes that do;
   * in one process it costs nothing.
   *
   * @param keys the objects; of all, if none is named
   * @throws io.github.stablecut.error.PartitionUnavailableException if a partition that has to be
   *     asked is away
   * @throws io.github.stablecut.error.ReadTimeoutException if it is not known for too long what
   *     became of a transaction on one of the objects
   */
  Snapshot latest(Key<?>... keys);

  /**
   * Claims a point of the history, so that it can be read as long as the claim is open.
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
   * Makes a checkpoint now, lets go of what it replaces, and waits for both. Usually nobody has to
   * call it: see {@link CheckpointPolicy}.
   *
   * @throws io.github.stablecut.error.StablecutException if it failed; the store goes on without
   */
  void checkpoint();

  /** As {@link #backup(Path, BackupProgress)}, without saying how far it has come. */
  @CanIgnoreReturnValue
  default CausalToken backup(Path target) {
    return backup(target, BackupProgress.NONE);
  }

  /**
   * Writes a backup: a consistent snapshot with all that was acknowledged before this call, and
   * nothing of the past. Makes a checkpoint first; readers and writers go on. {@link
   * Stablecut#restore} makes a store of it.
   *
   * <p>On the disk of the store the files are shared with it by hard links, which takes no room and
   * little time. To outlive that disk, a backup lies on another one.
   *
   * @param target a directory that is empty or not there
   * @return the point that the backup holds
   * @throws BackupRefusedException if the target is something else; nothing was changed
   * @throws io.github.stablecut.error.DamageException if a file of the store is damaged; no backup
   *     was made
   * @throws io.github.stablecut.error.StablecutException if it failed; no backup was made, and the
   *     store goes on
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

  /** Facts about the store's inside. */
  StoreStatus status();

  /**
   * Makes durable what is on its way, and closes. Open transactions end without effect. Idempotent.
   */
  @Override
  void close();
}
