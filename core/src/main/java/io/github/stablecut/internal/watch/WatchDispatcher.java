package io.github.stablecut.internal.watch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.thread.HeapShare;
import io.github.stablecut.internal.thread.SupervisedThread;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Merges the feeds of a store's partitions and adds each commit to the buffers of the watches, on a
 * separate thread that the first watch starts. It never waits for users. If it falls behind the
 * committers or fails, all watches overflow. Thread-safe.
 */
public final class WatchDispatcher implements AutoCloseable {
  /** The interval for polling partitions while a transaction before a held commit is undecided. */
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /**
   * The maximum number of commits and objects that are held for a partition that does not advance,
   * for example because it has failed.
   */
  private static final long MAX_HELD = 1 << 19;

  /**
   * The maximum size of the held names and effects, in bytes, except for a single larger commit.
   */
  private static final long MAX_HELD_BYTES = HeapShare.ofLarge(256L << 20, 1);

  private final LocalDataCentre local;
  private final List<CommitSource> sources;
  private final int limit;
  private final long maxHeld;
  private final WatchMemory memory;
  private final FaultLog faults = new FaultLog();
  private final SupervisedThread thread = new SupervisedThread("watch-dispatch", this::run, faults);
  private final ReentrantLock lock = new ReentrantLock();

  /** The buffers of watches that have joined the present. */
  @GuardedBy("lock")
  private final List<WatchBuffer> live = new ArrayList<>();

  @GuardedBy("lock")
  private final List<WatchBuffer> open = new ArrayList<>();

  /** Commits after this vector come through the feeds, if these are open. */
  @GuardedBy("lock")
  private VectorClock openedAt = VectorClock.ZERO;

  @GuardedBy("lock")
  private CommitMerger merger;

  private volatile boolean isWoken;

  /** Whether a watch has requested effects since the feeds were opened. */
  @GuardedBy("lock")
  private boolean collectsEffects;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * @param local the data centre of the partitions
   * @param sources the partitions, at least one
   * @param limit the maximum number of open watches
   */
  public WatchDispatcher(LocalDataCentre local, List<CommitSource> sources, int limit) {
    this(local, sources, limit, MAX_HELD, WatchMemory.MAX_BYTES);
  }

  /**
   * @param maxHeld the maximum number of commits and objects that wait for a partition that does
   *     not advance
   * @param memory the maximum number of bytes that wait for the users of all watches
   */
  WatchDispatcher(
      LocalDataCentre local, List<CommitSource> sources, int limit, long maxHeld, long memory) {
    this.local = local;
    this.sources = List.copyOf(sources);
    this.limit = limit;
    this.maxHeld = maxHeld;
    this.memory = new WatchMemory(memory);
    this.merger = newMerger();
  }

  List<CommitSource> sources() {
    return sources;
  }

  WatchMemory memory() {
    return memory;
  }

  /** Ends watches other than the one that is reading, if all together hold too much. */
  void relieveFor(WatchBuffer reading) {
    if (memory.isExceeded()) {
      lock.lock();
      try {
        memory.relieve(open.stream().filter(buffer -> buffer != reading).toList());
      } finally {
        lock.unlock();
      }
    }
  }

  private CommitMerger newMerger() {
    return merger(VectorClock.ZERO);
  }

  /** Creates a merger of the partitions' commits after a point. */
  CommitMerger merger(VectorClock from) {
    return new CommitMerger(local, sources.size(), from);
  }

  /**
   * The number of commits that a watch may hold for partitions and data centres that are behind.
   */
  long maxHeld() {
    return maxHeld;
  }

  /**
   * The bytes that an open watch may read ahead of partitions that are behind. All watches together
   * read ahead no more than their buffers may hold.
   */
  long maxReadAhead() {
    lock.lock();
    try {
      return Math.min(WatchBuffer.MAX_BYTES, memory.shareOf(open.size()));
    } finally {
      lock.unlock();
    }
  }

  /** Whether a transaction was ever received from another data centre. */
  boolean hasOthers() {
    return sources.stream()
        .anyMatch(source -> !local.othersAreAtOrBefore(source.feed().newest(), VectorClock.ZERO));
  }

  /** Returns this data centre's time in a vector. */
  long timeIn(VectorClock vector) {
    return local.timeIn(vector);
  }

  /**
   * A vector at or after all published commits of this data centre. Its other entries are 0:
   * partitions differ in what they have received from other data centres, and watches do not wait
   * for that.
   */
  VectorClock newest() {
    return newestAfter(VectorClock.ZERO);
  }

  /** Like {@link #newest}, but also at or after a point in this data centre's entry. */
  VectorClock newestAfter(VectorClock point) {
    VectorClock newest = local.at(local.timeIn(point));
    for (CommitSource source : sources) {
      newest = local.raise(newest, local.timeIn(source.feed().newest()));
    }
    return newest;
  }

  /** Registers a watch until it leaves. */
  void register(WatchBuffer buffer) {
    lock.lock();
    try {
      if (open.size() >= limit) {
        throw new LimitExceededException(
            "%,d watches are open, the maximum: close some, or raise the limit openWatches"
                .formatted(open.size()));
      }
      open.add(buffer);
      if (closed) {
        buffer.end(WatchBuffer.State.STORE_CLOSED);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds later commits to a buffer.
   *
   * @param known a point to which partitions advance if they are before it
   * @return the point after which the buffer receives all commits of this data centre; of other
   *     data centres it receives those that become durable from now on, and perhaps some earlier
   *     ones
   */
  VectorClock join(WatchBuffer buffer, VectorClock known) {
    lock.lock();
    try {
      if (live.isEmpty() && !closed) {
        openFeeds();
      }
      if (buffer.wanted().withEffects() && !collectsEffects) {
        // Commits collected without effects are read from the journals.
        collectsEffects = true;
        openedAt = local.raise(openedAt, local.timeIn(newest()));
      }
      openedAt = local.raise(openedAt, local.timeIn(known));
      live.add(buffer);
      wake();
      return local.raise(openedAt, local.timeIn(merger.complete()));
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void openFeeds() {
    for (CommitSource source : sources) {
      source.feed().open(this::wake);
    }
    openedAt = newest();
    merger = newMerger();
    collectsEffects = false;
    if (!thread.isStarted()) {
      thread.start();
    }
  }

  /** Removes a watch. */
  void leave(WatchBuffer buffer) {
    lock.lock();
    try {
      open.remove(buffer);
      if (live.remove(buffer) && live.isEmpty()) {
        sources.forEach(source -> source.feed().close());
      }
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    while (true) {
      // Reset first: later changes and closing are noticed in the next iteration.
      isWoken = false;
      if (isClosed()) {
        return;
      }
      try {
        VectorClock awaited = dispatch();
        // Not what partitions have reached by now: nothing notifies this thread when an idle one
        // advances.
        if (isDispatched(awaited)) {
          sleep();
        } else {
          advance(awaited);
        }
      } catch (Throwable e) {
        // Drained commits are lost: no watch may continue as if there were no gap.
        overflow();
        throw e;
      }
    }
  }

  /** Wakes the thread to check everything again. Does not block. */
  private void wake() {
    isWoken = true;
    thread.unpark();
  }

  /**
   * Sleeps until woken. An unpark permit alone is not enough: waiting for a lock may consume it.
   */
  private void sleep() {
    while (!isWoken) {
      LockSupport.park(this);
    }
  }

  /** Describes the failures that the thread has survived; empty if there were none. */
  public List<String> problems() {
    return faults.describe();
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Dispatches the commits that every partition has reported.
   *
   * @return the vector that partitions must reach before all commits are dispatched, except those
   *     that wait for other data centres
   */
  private VectorClock dispatch() {
    lock.lock();
    try {
      for (int partition = 0; partition < sources.size() && !live.isEmpty(); partition++) {
        collect(partition);
      }
      if (live.isEmpty()) {
        return VectorClock.ZERO;
      }
      for (OrderedCommit commit : merger.release()) {
        WatchMemory.Charge charge = memory.charge(commit.writes());
        live.forEach(buffer -> buffer.offer(commit.writes(), charge, commit.token()));
        memory.relieve(open);
      }
      VectorClock complete = merger.complete();
      live.forEach(buffer -> buffer.complete(complete));
      if (merger.heldSize() > maxHeld || merger.holdsMoreThan(MAX_HELD_BYTES)) {
        overflow();
        return VectorClock.ZERO;
      }
      return local.raise(openedAt, merger.localTimeNeeded());
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void collect(int partition) {
    CommitSource source = sources.get(partition);
    // Reads the vector before the feed: commits at or before the vector are then in the feed.
    VectorClock stable = source.stable();
    CommitMerger into = merger;
    boolean withEffects = collectsEffects;
    source.feed().drainTo(committed -> into.add(CommittedWrites.of(committed, withEffects)));
    merger.complete(partition, stable);
    if (source.feed().hasOverflowed()) {
      overflow();
    }
  }

  /** Ends all live watches; each knows up to which point it has all commits. */
  private void overflow() {
    lock.lock();
    try {
      live.forEach(buffer -> buffer.end(WatchBuffer.State.OVERFLOWED));
      live.clear();
      merger = newMerger();
      sources.forEach(source -> source.feed().close());
    } finally {
      lock.unlock();
    }
  }

  /** Whether the partitions' last reports have reached a vector, or there are no live watches. */
  private boolean isDispatched(VectorClock vector) {
    lock.lock();
    try {
      return live.isEmpty() || vector.isAtOrBefore(merger.complete());
    } finally {
      lock.unlock();
    }
  }

  /** Advances idle partitions; pauses if a transaction is undecided on one. */
  private void advance(VectorClock vector) {
    for (CommitSource source : sources) {
      if (!vector.isAtOrBefore(source.stable())
          && !vector.isAtOrBefore(source.stableAfter(vector))) {
        LockSupport.parkNanos(this, RETRY_NANOS);
      }
    }
  }

  /** Ends all watches and the thread. Idempotent. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      open.forEach(buffer -> buffer.end(WatchBuffer.State.STORE_CLOSED));
      live.clear();
      sources.forEach(source -> source.feed().close());
    } finally {
      lock.unlock();
    }
    wake();
    thread.join();
  }
}
