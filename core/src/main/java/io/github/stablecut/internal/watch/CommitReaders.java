package io.github.stablecut.internal.watch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.internal.thread.HeapPermits;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The journal positions of the watches of other nodes, so that the next piece needs no search. A
 * request with another state than the last piece's follows a lost answer or a change of the owner.
 * It reads after the point that it names, which finds the same commits again without omissions.
 * Thread-safe.
 */
public final class CommitReaders {
  /**
   * The maximum number of readers; the least recently used one is evicted and has to search again.
   */
  private static final int MOST = 256;

  /** The time for which a request waits for the memory of a large record. */
  private static final long LARGE_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final SecureRandom STATES = new SecureRandom();

  private final CommitSource source;

  @GuardedBy("this")
  private final Map<Long, Reader> readers = new LinkedHashMap<>(16, 0.75f, true);

  /** The position of a watch. */
  private record Reader(CommitHistory history, long state) {}

  /** Creates the readers of a partition; none yet. */
  public CommitReaders(CommitSource source) {
    this.source = source;
  }

  /**
   * Returns the next piece for a watch.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if the next commits were truncated
   */
  public CommitReadRequest.Piece read(CommitReadRequest reading) {
    Reader known = take(reading.reader());
    CommitHistory history =
        known != null && known.state == reading.state()
            ? known.history
            : source.history(reading.after(), reading.filter());
    source.stableAfter(reading.moveOn());
    CommitHistory.Piece piece = read(history, reading.most());
    long state = STATES.nextLong(1, Long.MAX_VALUE);
    put(reading.reader(), new Reader(history, state));
    return new CommitReadRequest.Piece(state, piece.writes(), piece.complete(), piece.atEnd());
  }

  /**
   * Reads a piece. If other watches occupy the memory for large records for too long, the piece
   * ends before the first of them, and the next request tries again.
   */
  private static CommitHistory.Piece read(CommitHistory history, int most) {
    try (LargeReads large = new LargeReads(HeapPermits.WATCHES)) {
      CommitHistory.Piece piece = history.read(most, large);
      return piece.writes().isEmpty() && large.isRefused() && awaitLarge(large)
          ? history.read(most, large)
          : piece;
    }
  }

  private static boolean awaitLarge(LargeReads large) {
    try {
      return large.await(System.nanoTime() + LARGE_WAIT_NANOS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Removes a reader, so that no other thread uses it meanwhile. */
  private synchronized @Nullable Reader take(long reader) {
    return readers.remove(reader);
  }

  private synchronized void put(long reader, Reader known) {
    readers.put(reader, known);
    if (readers.size() > MOST) {
      var eldest = readers.keySet().iterator();
      eldest.next();
      eldest.remove();
    }
  }
}
