package io.github.stablecut.cluster.internal.service;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.StoredObject;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.AnswerCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.codec.QuestionCodec;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.internal.transaction.StateScan;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** A scan of a client. Thread-safe: one at a time takes, and others are refused meanwhile. */
final class ScanHandle implements ClientHandles.Held {
  private static final int OBJECT_BYTES = 8;

  private final StateScan scan;
  private final Optional<Lock> transaction;

  /** An object that was found and not taken yet. */
  private Optional<Next> ahead = Optional.empty();

  /** Whether it has found a large object: others may follow. */
  private boolean meetsLarge;

  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean isClosed;

  private volatile long heldBytes;

  @GuardedBy("lock")
  private boolean isScanClosed;

  /** An object, not encoded yet: of a large one there is only one at a time. */
  private record Next(Bytes id, CrdtType<?, ?, ?, ?> type, Optional<Object> state) {
    Answer.Found found(AnswerBytes answer) {
      return new Answer.Found(id, type, state.map(of -> answer.of(id, type, of)));
    }
  }

  /** The transaction in which the scan is: nothing else happens in it meanwhile. */
  record Lock(OpenTransaction transaction, int depth, NanoClock clock) {}

  ScanHandle(StateScan scan, Optional<Lock> transaction) {
    this.scan = scan;
    this.transaction = transaction;
    this.heldBytes = scan.heldBytes();
  }

  /** About how many bytes it holds of objects that were found and not taken yet. */
  long heldBytes() {
    return heldBytes;
  }

  @Override
  public Answer take(int bytes, int waitMillis, AnswerBytes answer) {
    boolean isTaken = lock.tryLock();
    if (!isTaken && !isClosed) {
      // It would only keep a thread.
      throw new BusyException("another call takes from the scan: wait for its answer");
    } else if (!isTaken) {
      throw closed();
    }
    try {
      if (isClosed) {
        throw closed();
      }
      return transaction
          .map(of -> of.transaction.use(of.clock, of.depth, tx -> page(bytes, answer)))
          .orElseGet(() -> page(bytes, answer));
    } finally {
      lock.unlock();
      if (isClosed) {
        closeUntaken();
      }
    }
  }

  private static TransactionExpiredException closed() {
    return new TransactionExpiredException("the scan was closed meanwhile: begin another");
  }

  /**
   * As much as may be, and then the other types of the last object; or what is before an object
   * that is too large, which the next page refuses.
   */
  private Answer page(int bytes, AnswerBytes answer) {
    if (meetsLarge) {
      answer.expectLarge();
    }
    Page page = new Page(bytes, answer);
    List<Bytes> objects;
    try {
      objects = QuestionCodec.encodePieces(page::write);
    } finally {
      heldBytes = scan.heldBytes();
    }
    return new Answer.EncodedPage(page.size, objects, page.isLast);
  }

  /** A page that is being made. */
  private final class Page {
    private final int bytes;
    private final AnswerBytes answer;
    private Optional<Bytes> last = Optional.empty();
    private int size;
    private boolean isLast;

    Page(int bytes, AnswerBytes answer) {
      this.bytes = bytes;
      this.answer = answer;
    }

    void write(Encoder out) {
      long written = 0;
      Optional<Next> next = ahead.isPresent() ? ahead : next();
      while (next.isPresent()
          && (size == 0 || written < bytes || last.equals(next.map(Next::id)))) {
        ahead = next;
        Answer.Found found;
        try {
          found = next.get().found(answer);
        } catch (LimitExceededException e) {
          if (size == 0) {
            throw e;
          }
          return;
        }
        AnswerCodec.write(found, out);
        int stateBytes = found.state().map(Bytes::length).orElse(0);
        meetsLarge |= AnswerBytes.isLarge(stateBytes);
        written += (long) OBJECT_BYTES + found.id().length() + stateBytes;
        size++;
        last = Optional.of(found.id());
        next = next();
      }
      ahead = next;
      isLast = next.isEmpty();
    }
  }

  private Optional<Next> next() {
    if (!scan.hasNext()) {
      return Optional.empty();
    }
    StoredObject object = scan.next();
    return Optional.of(new Next(scan.id(), object.type(), scan.state()));
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
          heldBytes = 0;
          scan.close();
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
