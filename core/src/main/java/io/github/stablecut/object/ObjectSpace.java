package io.github.stablecut.object;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.Reader;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The context in which objects are used: a store, a transaction, or a snapshot. Objects are opened
 * in one space, and may be used in another ({@link SharedObject#in}). As thread-safe as the
 * underlying store, transaction or snapshot.
 *
 * <pre>{@code
 * ObjectSpace space = ObjectSpace.of(store);
 * SharedObject<Stock> stock = space.open("shop", "stock", STOCK);
 * stock.call(PUT, "pen");
 * boolean sold = space.transact(tx -> {
 *   tx.update(attempts.increment(1));            // objects and CRDTs, in one transaction
 *   return stock.in(tx).call(TAKE, "pen");
 * });
 * int left = space.snapshot(then -> stock.in(then).get(Stock::size));
 * }</pre>
 */
public sealed interface ObjectSpace extends Reader
    permits StoreSpace, TransactionSpace, SnapshotSpace {
  /**
   * Returns a space for objects of a store. Each call is a transaction of its own, and linearizable
   * on every node of a cluster. In a cluster, {@link #transact} and {@link #snapshot} may miss what
   * another node has just acknowledged.
   */
  static ObjectSpace of(Store store) {
    return new StoreSpace(store, HomeDataCentre.ANYWHERE);
  }

  /**
   * Returns a space for objects of a store whose home is one of several data centres. They are
   * called only there, and can be read elsewhere. All data centres must name the same home for an
   * object. An object opened here keeps its home in transactions and snapshots.
   *
   * @param home the number of the data centre ({@link
   *     io.github.stablecut.replication.DataCentres#own})
   */
  static ObjectSpace of(Store store, int home) {
    return new StoreSpace(store, HomeDataCentre.of(store, home));
  }

  /**
   * Returns a space for objects in a transaction. Such transactions are serializable among
   * themselves if they certify {@link Certification#READS_WRITES}, as those of {@link #transact}
   * do. Unlike those, this one summarizes no logs.
   */
  static ObjectSpace of(Transaction transaction) {
    return new TransactionSpace(transaction, Optional.empty(), new AfterCommit(), false);
  }

  /** Returns a space for objects as of a snapshot; it refuses calls that change them. */
  static ObjectSpace of(Snapshot snapshot) {
    return new SnapshotSpace(snapshot, Optional.empty());
  }

  /**
   * Opens an object as {@link #open(String, String, ObjectType, View)} does, with a {@link
   * View#REMOTE} view.
   */
  default <S> SharedObject<S> open(String bucket, String key, ObjectType<S> type) {
    return open(bucket, key, type, View.REMOTE);
  }

  /**
   * Opens an object, which needs no creation. Costs nothing.
   *
   * @param bucket the first part of the object's name; the name must not belong to an object of
   *     another kind
   */
  default <S> SharedObject<S> open(String bucket, String key, ObjectType<S> type, View view) {
    return HomeDataCentre.of(this).open(this, bucket, key, type, view);
  }

  /**
   * Runs a function in a transaction. It sees one snapshot throughout and its own calls, and
   * commits only if nothing that it read has changed. If a concurrent transaction wins, the
   * function runs again. In a transaction, the new one is nested: it sees the outermost one's
   * snapshot, and an exception rolls back only its own calls. On a snapshot, the function can only
   * read.
   *
   * @param body may run several times, and depends only on its argument
   * @return the function's result
   * @throws ConflictException if concurrent transactions win a thousand times
   */
  @CanIgnoreReturnValue
  <R> R transact(Function<? super ObjectSpace, ? extends R> body);

  /** Runs a function as {@link #transact} does, without a result. */
  default void run(Consumer<? super ObjectSpace> body) {
    this.<Boolean>transact(
        space -> {
          body.accept(space);
          return true;
        });
  }

  /**
   * Runs a read-only function at one snapshot. It conflicts with nothing and waits for nothing. In
   * a transaction, it sees what the transaction sees. Calls in the function that change an object
   * throw {@link UnsupportedOperationException}. In one process, the snapshot is kept until the
   * function returns. A cluster keeps it for the {@link
   * io.github.stablecut.option.CheckpointPolicy#retention}.
   */
  <R> R snapshot(Function<? super ObjectSpace, ? extends R> body);

  /** Executes updates of CRDTs, as a part of the transaction if this is one. */
  void update(Update... updates);
}
