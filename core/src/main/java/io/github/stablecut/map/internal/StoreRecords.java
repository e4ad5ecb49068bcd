package io.github.stablecut.map.internal;

import io.github.stablecut.Computation;
import io.github.stablecut.Pin;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.Update;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.Computed;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordCursor;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordRange;
import io.github.stablecut.map.storage.RecordReader;
import io.github.stablecut.map.storage.RecordSnapshot;
import io.github.stablecut.map.storage.RecordStorage;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.TransactionOptions;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;

/** Records as objects of a store ({@link RecordObjects}). Thread-safe. */
public final class StoreRecords implements RecordStorage {
  private final Store store;
  private final boolean isOwned;

  /**
   * Creates the records of a store.
   *
   * @param isOwned whether closing this closes the store
   */
  public StoreRecords(Store store, boolean isOwned) {
    this.store = store;
    this.isOwned = isOwned;
  }

  @Override
  public Map<RecordId, Cells> read(Collection<RecordId> ids) {
    while (true) {
      try {
        return RecordObjects.read(store.latest(RecordObjects.keys(ids)), ids);
      } catch (SnapshotTruncatedException e) {
        // The snapshot is not registered as active, and was truncated meanwhile: take a newer one.
      }
    }
  }

  @Override
  public RecordCursor scan(RecordRange range) {
    Pin pin = pin();
    try {
      return RecordObjects.cursor(pin.scan(RecordNames.options(range)), range.limit());
    } finally {
      pin.close();
    }
  }

  @Override
  public <R> R compute(
      Collection<RecordId> ids, Function<Map<RecordId, Cells>, Computed<R>> function) {
    List<RecordObjects.ObjectOf> objects = RecordObjects.objects(ids);
    AtomicReference<List<RecordChange>> changes = new AtomicReference<>(List.of());
    try {
      return store.compute(
          objects.stream().map(RecordObjects.ObjectOf::key).toList(),
          found -> {
            Computed<R> computed = function.apply(RecordObjects.cells(objects, found));
            changes.set(computed.changes());
            return new Computation<>(
                computed.changes().stream().map(RecordObjects::update).toList(), computed.result());
          });
    } catch (LimitExceededException e) {
      throw RecordObjects.tooLarge(Objects.requireNonNull(changes.get()), e);
    }
  }

  /**
   * Applies changes; if all records are on one partition, that partition applies them. Only they
   * are sent there, and the values of the records are not decoded.
   */
  @Override
  public void write(List<RecordChange> changes) {
    if (!areOnOnePartition(changes)) {
      RecordStorage.super.write(changes);
      return;
    }
    Update[] updates = changes.stream().map(RecordObjects::update).toArray(Update[]::new);
    try {
      store.compareAndUpdate(Condition.all(), updates);
    } catch (LimitExceededException e) {
      throw RecordObjects.tooLarge(changes, e);
    }
  }

  /**
   * Returns whether the changes are on one partition. Records of one space with the same partition
   * key are, in any store. For others, it asks the store, which takes a request if the store is on
   * a server.
   */
  private boolean areOnOnePartition(List<RecordChange> changes) {
    Map<RecordId, RecordId> together = new HashMap<>();
    for (RecordChange change : changes) {
      RecordId id = change.id();
      together.putIfAbsent(RecordId.of(id.space(), id.partition(), Bytes.EMPTY), id);
    }
    return together.size() == 1
        || together.values().stream()
                .map(id -> store.partitionOf(RecordObjects.key(id)))
                .distinct()
                .count()
            == 1;
  }

  @Override
  public RecordSnapshot snapshot() {
    Pin pin = pin();
    return new SnapshotRecords(pin, pin::close);
  }

  private Pin pin() {
    while (true) {
      try {
        return store.pin(store.latest().token());
      } catch (SnapshotTruncatedException e) {
        // The snapshot was truncated before it was pinned: take a newer one.
      }
    }
  }

  /**
   * Each step is a transaction that removes only what it sees: records that other data centres
   * write concurrently stay.
   */
  @Override
  public void clear(Bytes space, Bytes leadPrefix, Predicate<? super RecordReader> goesOn) {
    TransactionOptions now = TransactionOptions.defaults().after(store.latest().token());
    Optional<ScanOptions> rest = Optional.of(RecordNames.all(space, leadPrefix).keysOnly());
    while (rest.isPresent()) {
      try (Transaction transaction = store.begin(now)) {
        rest =
            goesOn.test(new TransactionRecords(transaction))
                ? RecordObjects.clear(transaction, rest.get())
                : Optional.empty();
        transaction.commit();
      }
    }
  }

  @Override
  public void close() {
    if (isOwned) {
      store.close();
    }
  }
}
