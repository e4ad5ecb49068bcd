package io.github.stablecut.cluster.internal.service.handle;

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
import io.github.stablecut.internal.transaction.routing.StateScan;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** A scan of a client. Thread-safe: one call at a time takes a page; others are refused. */
public final class ScanHandle implements ClientHandles.Handle {
  private static final int OBJECT_BYTES = 8;

  private final StateScan scan;
  private final Optional<Lock> transaction;

  /** The next object, read and not yet taken. */
  private Optional<UnencodedObject> ahead = Optional.empty();

  /** Whether it has met a large object: others may follow. */
  private boolean meetsLarge;

  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean isClosed;

  private volatile long heldBytes;

  @GuardedBy("lock")
  private boolean isScanClosed;

  /** An object that is not encoded yet: only one large object is encoded at a time. */
  private record UnencodedObject(Bytes id, CrdtType<?, ?, ?, ?> type, Optional<Object> state) {
    Answer.ScannedObject found(AnswerBytes answer) {
      return new Answer.ScannedObject(id, type, state.map(of -> answer.of(id, type, of)));
    }
  }

  /** Locks the transaction of the scan, so that no other request executes in it meanwhile. */
  public record Lock(OpenTransaction transaction, int depth, NanoClock clock) {}

  public ScanHandle(StateScan scan, Optional<Lock> transaction) {
    this.scan = scan;
    this.transaction = transaction;
    this.heldBytes = scan.heldBytes();
  }

  /** Returns the approximate bytes of objects that were read and not yet taken. */
  long heldBytes() {
    return heldBytes;
  }

  @Override
  public Answer take(int bytes, int waitMillis, AnswerBytes answer) {
    boolean isLocked = lock.tryLock();
    if (!isLocked && !isClosed) {
      // Waiting would only occupy a thread.
      throw new BusyException("another call takes from the scan: wait for its answer");
    } else if (!isLocked) {
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
        closeIfUnlocked();
      }
    }
  }

  private static TransactionExpiredException closed() {
    return new TransactionExpiredException("the scan was closed meanwhile: open another");
  }

  /**
   * Reads a page: objects up to a number of bytes, then the other types of the last key. The page
   * ends before an object that is too large for an answer; the next page is refused.
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

  /** A page in the making. */
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
      Optional<UnencodedObject> next = ahead.isPresent() ? ahead : next();
      while (next.isPresent()
          && (size == 0 || written < bytes || last.equals(next.map(UnencodedObject::id)))) {
        ahead = next;
        Answer.ScannedObject found;
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

  private Optional<UnencodedObject> next() {
    if (!scan.hasNext()) {
      return Optional.empty();
    }
    StoredObject object = scan.next();
    return Optional.of(new UnencodedObject(scan.id(), object.type(), scan.state()));
  }

  /** Closes the scan, or leaves that to a call that is taking a page, which may take long. */
  @Override
  public void close() {
    isClosed = true;
    closeIfUnlocked();
  }

  private void closeIfUnlocked() {
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
