package io.github.stablecut.internal.transaction;

import io.github.stablecut.DeletedRange;
import io.github.stablecut.Scan;
import io.github.stablecut.Store;
import io.github.stablecut.StoredObject;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.ScanOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Deletes the objects of a range, one transaction after the other. Confined to one thread. */
final class RangeDeletion {
  /** A transaction deletes at most this many objects. */
  private static final int BATCH = 1_000;

  private final Store store;
  private ScanOptions rest;
  private long left;
  private long deleted;
  private long kept;

  RangeDeletion(Store store, ScanOptions range) {
    this.store = store;
    this.rest = range.keysOnly();
    this.left = range.limit();
  }

  DeletedRange execute() {
    while (true) {
      try (Transaction transaction = store.begin()) {
        List<StoredObject> batch = nextBatch(transaction);
        if (batch.isEmpty()) {
          return new DeletedRange(deleted, kept, transaction.snapshot());
        }
        int done = delete(batch, transaction);
        transaction.commit();
        goOnAfter(batch, done);
      }
    }
  }

  /** Goes on after the first objects of a batch; after none that has another type to delete. */
  private void goOnAfter(List<StoredObject> batch, int done) {
    Optional<Bytes> split =
        done < batch.size() ? Optional.of(batch.get(done).key()) : Optional.empty();
    List<Bytes> keys =
        batch.subList(0, done).stream()
            .map(StoredObject::key)
            .filter(key -> !Optional.of(key).equals(split))
            .distinct()
            .toList();
    left -= keys.size();
    if (!keys.isEmpty()) {
      rest = rest.after(keys.get(keys.size() - 1));
    }
  }

  private List<StoredObject> nextBatch(Transaction transaction) {
    List<StoredObject> batch = new ArrayList<>();
    if (left > 0) {
      try (Scan scan = transaction.scan(rest.limit(Math.min(left, BATCH)))) {
        scan.forEachRemaining(batch::add);
      }
    }
    return batch;
  }

  /** Deletes the first objects of a batch: as many as there is room for in a transaction. */
  private int delete(List<StoredObject> batch, Transaction transaction) {
    int done = 0;
    long before = deleted;
    for (StoredObject object : batch) {
      Optional<Update> deletion = deletion(object.bucket(), object.key(), object.type());
      if (deletion.isPresent()) {
        try {
          transaction.update(deletion.get());
        } catch (LimitExceededException e) {
          if (deleted == before) {
            throw e;
          }
          return done;
        }
        deleted++;
      } else {
        kept++;
      }
      done++;
    }
    return done;
  }

  private static <O> Optional<Update> deletion(Bytes bucket, Bytes key, CrdtType<?, O, ?, ?> type) {
    return type.deletion().map(operation -> Key.of(bucket, key, type).update(operation));
  }
}
