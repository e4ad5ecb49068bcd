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
 * The newest commits of one partition, by reference, on their way to the watches. While nobody
 * watches it is closed, and costs one write and one read of a field for each group. Never blocks: a
 * group that comes while too much waits is dropped, and that is told; none is too large itself.
 * Thread-safe.
 *
 * <p>Opening follows Dekker's pattern: who publishes tells the newest commit and then looks whether
 * the feed is open; who opens says so and then looks at the newest commit. So each commit is at or
 * before what {@link #newest} gave after the opening, or comes through the feed, or both.
 */
public final class CommitFeed {
  /** About what a commit takes in memory beside its bytes. */
  private static final long OVERHEAD_BYTES = 512;

  private final long maxBytes;
  private final Queue<CommittedTransaction> backlog = new ConcurrentLinkedQueue<>();
  private final AtomicLong bytes = new AtomicLong();
  private volatile VectorClock newest;
  private volatile @Nullable Runnable listener;
  private volatile boolean overflowed;

  /**
   * @param newest the newest commit so far
   * @param maxBytes about how much memory may wait to be taken when a group comes
   */
  public CommitFeed(VectorClock newest, long maxBytes) {
    this.newest = newest;
    this.maxBytes = maxBytes;
  }

  /**
   * Takes a group that is durable, before the partition's stable vector reaches it. By one thread
   * at a time.
   *
   * @param commits the commit of a record, if it has one; called only if there are watches
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
      // Without memory for the watches they are told of a gap, and committing goes on.
      overflowed = true;
    }
  }

  private void add(CommittedTransaction committed) {
    var unused = bytes.addAndGet(committed.length() + OVERHEAD_BYTES);
    backlog.add(committed);
  }

  /** Says that the partition's stable vector has moved on. */
  public void wake() {
    Runnable told = listener;
    if (told != null) {
      told.run();
    }
  }

  /**
   * From now on commits come through.
   *
   * @param onStable run when the stable vector has moved on, on the thread that commits; so it must
   *     return at once
   */
  void open(Runnable onStable) {
    clear();
    listener = onStable;
  }

  /** From now on nothing comes through. */
  void close() {
    listener = null;
    clear();
  }

  private void clear() {
    while (backlog.poll() != null) {
      // Nobody wants it.
    }
    bytes.set(0);
    overflowed = false;
  }

  /** At or after all commits that were published so far. */
  VectorClock newest() {
    return newest;
  }

  /** Takes all that waits. By one thread at a time. */
  void drainTo(Consumer<? super CommittedTransaction> taker) {
    for (CommittedTransaction next = backlog.poll(); next != null; next = backlog.poll()) {
      var unused = bytes.addAndGet(-(next.length() + OVERHEAD_BYTES));
      taker.accept(next);
    }
  }

  /** Whether something was dropped since the feed was opened. */
  boolean hasOverflowed() {
    return overflowed;
  }
}
