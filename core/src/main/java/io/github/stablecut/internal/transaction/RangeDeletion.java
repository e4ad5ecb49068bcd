package io.github.stablecut.internal.transaction;

import io.github.stablecut.DeleteRangeResult;
import io.github.stablecut.Scan;
import io.github.stablecut.Store;
import io.github.stablecut.StoredObject;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.ResetBound;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.ScanOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Deletes the objects of a range in consecutive transactions. An object that is too large for one
 * transaction is deleted in parts. Confined to one thread.
 */
final class RangeDeletion {
  /** The maximum number of objects that one transaction deletes. */
  private static final int BATCH = 1_000;

  private final Store store;

  /** The estimated size limit of an effect on one object: half of what is allowed. */
  private final int boundBytes;

  private ScanOptions rest;
  private long left;
  private long deleted;
  private long kept;

  /**
   * @param valueBytes the maximum size of an operation's effect
   */
  RangeDeletion(Store store, ScanOptions range, int valueBytes) {
    this.store = store;
    this.boundBytes = Math.max(ResetBound.MIN_BYTES, valueBytes / 2);
    this.rest = range.keysOnly();
    this.left = range.limit();
  }

  DeleteRangeResult execute() {
    while (true) {
      List<StoredObject> batch;
      int done;
      try (Transaction transaction = store.begin()) {
        batch = nextBatch(transaction);
        if (batch.isEmpty()) {
          return new DeleteRangeResult(deleted, kept, transaction.snapshot());
        }
        done = delete(batch, transaction);
        transaction.commit();
      }
      if (done < batch.size() && batch.get(done).key().equals(batch.get(0).key())) {
        deleteInParts(batch.get(done));
        done++;
      }
      continueAfter(batch, done);
    }
  }

  /**
   * Continues after the first objects of a batch. An object with another type still to delete is
   * not passed; the next scan returns its undeletable types again.
   */
  private void continueAfter(List<StoredObject> batch, int done) {
    Optional<Bytes> split =
        done < batch.size() ? Optional.of(batch.get(done).key()) : Optional.empty();
    List<StoredObject> passed =
        batch.subList(0, done).stream()
            .filter(object -> !Optional.of(object.key()).equals(split))
            .toList();
    kept += passed.stream().filter(object -> deletion(object, false).isEmpty()).count();
    List<Bytes> keys = passed.stream().map(StoredObject::key).distinct().toList();
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

  /**
   * Deletes the first objects of a batch, as many as fit into a transaction.
   *
   * @return how many objects of the batch are done; if the next one has the first one's key, it is
   *     too large
   */
  private int delete(List<StoredObject> batch, Transaction transaction) {
    int done = 0;
    for (StoredObject object : batch) {
      Optional<Update> deletion = deletion(object, false);
      if (deletion.isPresent()) {
        if (!tryExecute(deletion.get(), transaction)) {
          return done;
        }
        deleted++;
      }
      done++;
    }
    return done;
  }

  /** Tries to execute an update; returns false if it does not fit into the transaction. */
  private static boolean tryExecute(Update deletion, Transaction transaction) {
    try {
      transaction.update(deletion);
      return true;
    } catch (OperationRefusedException | LimitExceededException e) {
      return false;
    }
  }

  private void deleteInParts(StoredObject object) {
    Update part = deletion(object, true).orElseThrow();
    Update whole = deletion(object, false).orElseThrow();
    boolean isDeleted = false;
    while (!isDeleted) {
      store.update(part);
      try (Transaction transaction = store.begin()) {
        isDeleted = tryExecute(whole, transaction);
        transaction.commit();
      }
    }
    deleted++;
  }

  private Optional<Update> deletion(StoredObject object, boolean isInParts) {
    return deletion(object, object.type(), new ResetBound(boundBytes, isInParts));
  }

  private static <O> Optional<Update> deletion(
      StoredObject object, CrdtType<?, O, ?, ?> type, ResetBound bound) {
    return type.deletion(bound)
        .map(operation -> Key.of(object.bucket(), object.key(), type).update(operation));
  }
}
