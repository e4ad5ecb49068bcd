package io.github.stablecut.internal.watch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the watches of other nodes go on in the journal of a partition: kept for a few, so that a
 * piece costs no search. Who comes with another state than that of the last piece, because an
 * answer was lost, or from another owner, reads after the point that it names, which finds the same
 * again and leaves nothing out. Thread-safe.
 */
public final class CommitReaders {
  /** Who was not heard of for longest is forgotten, and searches. */
  private static final int MOST = 256;

  private static final SecureRandom STATES = new SecureRandom();

  private final CommitSource source;

  @GuardedBy("this")
  private final Map<Long, Place> places = new LinkedHashMap<>(16, 0.75f, true);

  /** Where a watch goes on. */
  private record Place(CommitHistory history, long state) {}

  /** Of a partition; none yet. */
  public CommitReaders(CommitSource source) {
    this.source = source;
  }

  /**
   * The next piece for a watch.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if what comes next is not kept any
   *     more
   */
  public CommitReadRequest.Piece read(CommitReadRequest reading) {
    Place place = take(reading.reader());
    CommitHistory history =
        place != null && place.state == reading.state()
            ? place.history
            : source.history(reading.after(), reading.wanted());
    var unused = source.stableAfter(reading.moveOn());
    CommitHistory.Piece piece = history.read(reading.most());
    long state = STATES.nextLong(1, Long.MAX_VALUE);
    put(reading.reader(), new Place(history, state));
    return new CommitReadRequest.Piece(state, piece.writes(), piece.complete(), piece.atEnd());
  }

  /** Nobody else uses it meanwhile. */
  private synchronized @Nullable Place take(long reader) {
    return places.remove(reader);
  }

  private synchronized void put(long reader, Place place) {
    var unused = places.put(reader, place);
    if (places.size() > MOST) {
      var eldest = places.keySet().iterator();
      var unusedToo = eldest.next();
      eldest.remove();
    }
  }
}
