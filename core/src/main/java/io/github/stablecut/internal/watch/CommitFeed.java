package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A queue of references to a partition's newest commits, on their way to the watches. Without
 * watches it is closed and costs one field write and one field read per group. It never blocks: a
 * group that arrives while the queue is over its limit is dropped and reported as an overflow. No
 * single group is too large. Thread-safe.
 *
 * <p>Opening follows Dekker's pattern. The publisher writes the newest commit and then checks
 * whether the feed is open; the opener marks the feed open and then reads the newest commit. So
 * each commit is at or before the value that {@link #newest} returns after the opening, or comes
 * through the feed, or both.
 */
public final class CommitFeed {
  /** The approximate memory of a commit in addition to its bytes. */
  private static final long OVERHEAD_BYTES = 512;

  private final long maxBytes;
  private final Queue<CommittedTransaction> backlog = new ConcurrentLinkedQueue<>();
  private final AtomicLong bytes = new AtomicLong();
  private volatile VectorClock newest;
  private volatile @Nullable Runnable listener;
  private volatile boolean overflowed;

  /**
   * @param newest the newest commit so far
   * @param maxBytes the approximate limit of queued bytes, above which a new group is dropped
   */
  public CommitFeed(VectorClock newest, long maxBytes) {
    this.newest = newest;
    this.maxBytes = maxBytes;
  }

  /**
   * Publishes a durable group before the partition's stable vector reaches it. Called by one thread
   * at a time.
   *
   * @param commits returns the commit of a record, if it has one; called only while the feed is
   *     open
   * @param last at or after all commits of the group
   */
  public <T> void publish(
      List<T> group,
      Function<? super T, Optional<? extends CommittedTransaction>> commits,
      VectorClock last) {
    newest = newest.join(last);
    if (listener != null) {
      addAll(group, commits);
    }
  }

  private <T> void addAll(
      List<T> group, Function<? super T, Optional<? extends CommittedTransaction>> commits) {
    if (overflowed || bytes.get() > maxBytes) {
      overflowed = true;
      return;
    }
    try {
      for (T record : group) {
        commits.apply(record).ifPresent(this::add);
      }
    } catch (Throwable e) {
      // Without memory for the watches, report a gap and let commits continue.
      overflowed = true;
    }
  }

  private void add(CommittedTransaction committed) {
    bytes.addAndGet(committed.length() + OVERHEAD_BYTES);
    backlog.add(committed);
  }

  /** Notifies the listener that the partition's stable vector has advanced. */
  public void wake() {
    Runnable current = listener;
    if (current != null) {
      current.run();
    }
  }

  /**
   * Opens the feed: later commits are queued.
   *
   * @param onStable run on the committing thread when the stable vector has advanced; must not
   *     block
   */
  void open(Runnable onStable) {
    clear();
    listener = onStable;
  }

  /** Closes the feed: later commits are not queued. */
  void close() {
    listener = null;
    clear();
  }

  private void clear() {
    while (backlog.poll() != null) {
      // Discarded without a watch.
    }
    bytes.set(0);
    overflowed = false;
  }

  /** A vector at or after all commits published so far. */
  VectorClock newest() {
    return newest;
  }

  /** Passes all queued commits to a consumer. Called by one thread at a time. */
  void drainTo(Consumer<? super CommittedTransaction> consumer) {
    for (CommittedTransaction next = backlog.poll(); next != null; next = backlog.poll()) {
      bytes.addAndGet(-(next.length() + OVERHEAD_BYTES));
      consumer.accept(next);
    }
  }

  /** Whether commits were dropped since the feed was opened. */
  boolean hasOverflowed() {
    return overflowed;
  }
}
