package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.StoredObject;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.materializer.Folding;
import io.github.stablecut.internal.transaction.StateScan;
import io.github.stablecut.key.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A scan of a client. Thread-safe: one at a time takes. */
final class HeldScan implements HeldThings.Held {
  private static final int OBJECT_BYTES = 8;

  private final StateScan scan;
  private final Optional<Lock> transaction;

  /** An object that was found and not taken yet. */
  private Optional<Answer.Found> ahead = Optional.empty();

  private boolean isClosed;

  /** The transaction in which the scan is: nothing else happens in it meanwhile. */
  record Lock(OpenTransaction transaction, int depth, NanoClock clock) {}

  HeldScan(StateScan scan, Optional<Lock> transaction) {
    this.scan = scan;
    this.transaction = transaction;
  }

  @Override
  public synchronized Answer take(int bytes, int waitMillis) {
    return transaction
        .map(lock -> lock.transaction.use(lock.clock, lock.depth, tx -> page(bytes)))
        .orElseGet(() -> page(bytes));
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

  @Override
  public synchronized void close() {
    if (!isClosed) {
      isClosed = true;
      scan.close();
    }
  }
}
