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
 * Where objects are used: a store, a transaction, or a snapshot. Objects are opened in one, and may
 * be used in another one ({@link SharedObject#in}). As thread-safe as what it is made of.
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
   * Objects of a store: each call is a transaction of its own, and linearisable, by whichever node
   * of a cluster. Of a cluster, {@link #transact} and {@link #snapshot} may not see yet what
   * another node has acknowledged a moment ago.
   */
  static ObjectSpace of(Store store) {
    return new StoreSpace(store, HomeDataCentre.ANYWHERE);
  }

  /**
   * Objects of a store whose home is one of several data centres: they are called there only, and
   * elsewhere read. All data centres name the same home for an object. It stays with an object that
   * is opened here when that is used in a transaction or a snapshot.
   *
   * @param home the number of the data centre ({@link
   *     io.github.stablecut.replication.DataCentres#own})
   */
  static ObjectSpace of(Store store, int home) {
    return new StoreSpace(store, HomeDataCentre.of(store, home));
  }

  /**
   * Objects in a transaction. It is serialisable among its like if it certifies {@link
   * Certification#READS_WRITES}, as those of {@link #transact} do. It sums up no logs, as those do.
   */
  static ObjectSpace of(Transaction transaction) {
    return new TransactionSpace(transaction, Optional.empty(), new AfterCommit(), false);
  }

  /** Objects as of a snapshot; calls that change them are refused. */
  static ObjectSpace of(Snapshot snapshot) {
    return new SnapshotSpace(snapshot, Optional.empty());
  }

  /** As {@link #open(String, String, ObjectType, View)}, with a {@link View#REMOTE} view. */
  default <S> SharedObject<S> open(String bucket, String key, ObjectType<S> type) {
    return open(bucket, key, type, View.REMOTE);
  }

  /**
   * Opens an object, which needs no creation. Costs nothing.
   *
   * @param bucket with the key, its name; it must not be that of an object of another kind
   */
  default <S> SharedObject<S> open(String bucket, String key, ObjectType<S> type, View view) {
    return HomeDataCentre.of(this).open(this, bucket, key, type, view);
  }

  /**
   * Runs a function in a transaction, which sees one snapshot throughout and its own calls, and
   * commits only if nothing that it read was changed. If another one was faster it is run again. In
   * a transaction it is nested: it sees the outermost one's snapshot, and if it throws, only its
   * own calls are taken back. On a snapshot it only reads.
   *
   * @param body may be run several times, and depends on nothing but what it is given
   * @return what the function returned
   * @throws ConflictException if others were faster each time, a thousand times
   */
  @CanIgnoreReturnValue
  <R> R transact(Function<? super ObjectSpace, ? extends R> body);

  /** As {@link #transact}, without a result. */
  default void run(Consumer<? super ObjectSpace> body) {
    boolean unused =
        this.<Boolean>transact(
            space -> {
              body.accept(space);
              return true;
            });
  }

  /**
   * Runs a function that only reads, at one snapshot. It conflicts with nobody and waits for
   * nobody. In a transaction it sees what that sees. Calls in the function that change an object
   * throw {@link UnsupportedOperationException}. In one process the snapshot is kept until the
   * function returns; of a cluster, for as long as {@link
   * io.github.stablecut.option.CheckpointPolicy#retention} says.
   */
  <R> R snapshot(Function<? super ObjectSpace, ? extends R> body);

  /** Executes updates of CRDTs, as a part of the transaction if this is one. */
  void update(Update... updates);
}
