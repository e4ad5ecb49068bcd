package io.github.stablecut;

import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.option.Durability;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Flow;

/**
 * The changes of a bucket's objects, one per transaction, in the order of commit times: exactly
 * once, without gaps, and only once durable ({@link Durability}). Those of other data centres are
 * delivered once they are visible, each after its dependencies. Past changes are read from the
 * journal at the subscriber's speed; later ones are delivered as they are committed. Must be
 * closed. Confined to one thread at a time, except for {@link #close}, which ends a waiting call.
 *
 * <p>A watch retains no history and applies no backpressure. If its subscriber reads the past too
 * slowly, that may be truncated ({@link SnapshotTruncatedException}); if it reads the present too
 * slowly, the watch ends ({@link WatchOverflowException}). Continue with a new watch after {@link
 * #position}; after a truncation, read the objects and watch after the token of that read.
 *
 * <p>If the partitions are on several nodes, it waits while one of them is unreachable; it reads
 * all changes from the journals, so it is never ended for being slow.
 *
 * <p>Calls throw {@link StoreClosedException} once the store is closed, and {@link
 * IllegalStateException} after {@link #close}.
 */
public interface Watch extends AutoCloseable {
  /**
   * The next change; waits for it.
   *
   * @throws WatchOverflowException if more changes waited than the buffer takes, after those that
   *     it has taken; or at once if the buffers of all watches of the store took more than a
   *     sixteenth of the heap, and this one most
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
   * own. {@link #next} and {@link #poll} must not be called then. A second subscriber is refused
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
