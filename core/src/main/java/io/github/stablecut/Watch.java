package io.github.stablecut;

import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.option.Durability;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Flow;

/**
 * The changes of a bucket's objects, one per transaction, in the order of commit times: exactly
 * once, without gaps, and only once durable ({@link Durability}). Changes of other data centres are
 * delivered once they are visible, each after its dependencies. Past changes are read from the
 * journal at the subscriber's speed; later ones are delivered as they are committed. Must be
 * closed. Confined to one thread at a time, except for {@link #close}, which ends a waiting call.
 *
 * <p>A watch retains no history and applies no backpressure. If the subscriber reads the past too
 * slowly, that may be truncated ({@link SnapshotTruncatedException}); if it reads the present too
 * slowly, the watch ends ({@link WatchOverflowException}). After an overflow, continue with a new
 * watch after {@link #position}; after a truncation, read the objects and watch after the token of
 * that read.
 *
 * <p>If the partitions are on several nodes, the watch waits while one of them is unreachable. It
 * then reads all changes from the journals, so it never ends because of a slow subscriber.
 *
 * <p>Calls throw {@link StoreClosedException} once the store is closed, and {@link
 * IllegalStateException} after {@link #close}.
 */
public interface Watch extends AutoCloseable {
  /**
   * Waits for the next change and returns it.
   *
   * @throws WatchOverflowException after the buffered changes, if more changes waited than the
   *     buffer holds; or at once, if the buffers of all watches of the store exceeded a sixteenth
   *     of the heap and this one was the largest
   * @throws SnapshotTruncatedException if past changes were truncated before the watch read them
   * @throws InterruptedException if the thread was interrupted; no change is lost
   */
  Change next() throws InterruptedException;

  /**
   * Returns the next change, or empty if none arrives within a timeout.
   *
   * @param timeout at least zero, which does not wait. Past changes are read from the journal in
   *     batches of some thousand records, of which at least one is always read
   * @throws WatchOverflowException as {@link #next}
   * @throws SnapshotTruncatedException as {@link #next}
   * @throws InterruptedException if the thread was interrupted; no change is lost
   */
  Optional<Change> poll(Duration timeout) throws InterruptedException;

  /**
   * The point up to which all changes were delivered: that of the last change, or a later one with
   * no changes in between. A new watch after it continues without a gap, even after a restart.
   */
  CausalToken position();

  /**
   * Publishes the watch to one subscriber, which receives as many changes as it requests, on a
   * thread of its own. {@link #next} and {@link #poll} must not be called then. A second subscriber
   * is refused with {@code onError}, even at the publisher of another call.
   *
   * <p>The end of the watch, including a {@link #close}, arrives as {@code onError}: with demand
   * after the buffered changes, without demand at once. Cancelling the subscription closes the
   * watch. So does an exception of the subscriber, which then receives no further signals. The
   * watch never signals {@code onComplete}.
   */
  Flow.Publisher<Change> publisher();

  /** Ends the watch. Idempotent. */
  @Override
  void close();
}
