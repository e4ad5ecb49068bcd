package io.github.stablecut;

import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.option.Durability;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Flow;

/**
 * The changes of a bucket's objects, one per transaction, in the order of commit times: each once,
 * none left out, and only what counts as durable ({@link Durability}). Those of other data centres
 * come once they are visible, each after what it depends on. First those of the past, read from the
 * journal as fast as the user takes them; from then on as they are committed. To be closed.
 * Confined to one thread at a time, but for {@link #close}, which ends a waiting call.
 *
 * <p>A watch holds no history: committing and forgetting go on whatever it does. Who takes the past
 * too slowly may find it truncated ({@link SnapshotTruncatedException}); who takes the present too
 * slowly finds the watch ended ({@link WatchOverflowException}). It goes on in a new watch after
 * {@link #position}; after a truncation, by reading the objects and watching after the token of
 * what was read.
 *
 * <p>If the partitions are on several nodes, it waits while one of them is away, and goes on when
 * the partition is back; it reads all that from the journals, so it is never ended for being slow.
 *
 * <p>Calls throw {@link StoreClosedException} once the store is closed, and {@link
 * IllegalStateException} after {@link #close}.
 */
public interface Watch extends AutoCloseable {
  /**
   * The next change; waits for it.
   *
   * @throws WatchOverflowException if more changes waited than the buffer takes, after those that
   *     it has taken
   * @throws SnapshotTruncatedException if the past was forgotten before it was taken
   * @throws InterruptedException if the thread was interrupted; nothing is lost
   */
  Change next() throws InterruptedException;

  /**
   * The next change, or empty if none came for some time.
   *
   * @param longest at least zero, which asks without waiting; the journal's past is read in pieces
   *     of some thousand records, and one is always read
   * @throws WatchOverflowException as {@link #next}
   * @throws SnapshotTruncatedException as {@link #next}
   * @throws InterruptedException if the thread was interrupted; nothing is lost
   */
  Optional<Change> poll(Duration longest) throws InterruptedException;

  /**
   * The point up to which everything was taken: that of the last change, or a later one before
   * which there was nothing. A new watch after it goes on without a gap, also after a restart.
   */
  CausalToken position();

  /**
   * The watch for one subscriber, which is given as many changes as it requests, on a thread of its
   * own. Nobody else may call {@link #next} or {@link #poll} then. A second subscriber is refused
   * with {@code onError}, whichever call of this has made its publisher.
   *
   * <p>What ends the watch comes as {@code onError}, a {@link #close} too: with demand after the
   * changes that wait in the buffer, without demand at once. Cancelling closes the watch; so does a
   * subscriber that throws, which is told nothing more. A watch is never complete.
   */
  Flow.Publisher<Change> publisher();

  /** Ends the watch. Idempotent. */
  @Override
  void close();
}
