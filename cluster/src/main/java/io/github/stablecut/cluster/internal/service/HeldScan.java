package io.github.stablecut.cluster.internal.service;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.StoredObject;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.internal.materializer.Folding;
import io.github.stablecut.internal.transaction.StateScan;
import io.github.stablecut.key.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** A scan of a client. Thread-safe: one at a time takes. */
final class HeldScan implements HeldThings.Held {
  private static final int OBJECT_BYTES = 8;

  private final StateScan scan;
  private final Optional<Lock> transaction;

  /** An object that was found and not taken yet. */
  private Optional<Answer.Found> ahead = Optional.empty();

  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean isClosed;

  @GuardedBy("lock")
  private boolean isScanClosed;

  /** The transaction in which the scan is: nothing else happens in it meanwhile. */
  record Lock(OpenTransaction transaction, int depth, NanoClock clock) {}

  HeldScan(StateScan scan, Optional<Lock> transaction) {
    this.scan = scan;
    this.transaction = transaction;
  }

  @Override
  public Answer take(int bytes, int waitMillis) {
    lock.lock();
    try {
      if (isClosed) {
        throw new TransactionExpiredException("the scan was closed meanwhile: begin another");
      }
      return transaction
          .map(of -> of.transaction.use(of.clock, of.depth, tx -> page(bytes)))
          .orElseGet(() -> page(bytes));
    } finally {
      lock.unlock();
      if (isClosed) {
        closeUntaken();
      }
    }
  }

  /** As much as may be, and then the other types of the last object. */
  private Answer page(int bytes) {
    List<Answer.Found> objects = new ArrayList<>();
    long size = 0;
    Optional<Answer.Found> next = ahead.isPresent() ? ahead : found();
    while (next.isPresent() && (size < bytes || isSame(objects, next.get()))) {
      objects.add(next.get());
      size += OBJECT_BYTES + next.get().bytes();
      next = found();
    }
    ahead = next;
    return new Answer.Page(objects, next.isEmpty());
  }

  private static boolean isSame(List<Answer.Found> objects, Answer.Found next) {
    return !objects.isEmpty() && objects.get(objects.size() - 1).id().equals(next.id());
  }

  private Optional<Answer.Found> found() {
    if (!scan.hasNext()) {
      return Optional.empty();
    }
    StoredObject object = scan.next();
    return Optional.of(
        new Answer.Found(
            Key.id(object.bucket(), object.key()),
            object.type(),
            scan.state().map(state -> encoded(object, state))));
  }

  private static Bytes encoded(StoredObject object, Object state) {
    return Bytes.wrap(Folding.encodeState(object.type(), state));
  }

  /** Doesn't wait for who takes, and may wait for a partition: who takes closes it then. */
  @Override
  public void close() {
    isClosed = true;
    closeUntaken();
  }

  private void closeUntaken() {
    if (lock.tryLock()) {
      try {
        if (!isScanClosed) {
          isScanClosed = true;
          scan.close();
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
