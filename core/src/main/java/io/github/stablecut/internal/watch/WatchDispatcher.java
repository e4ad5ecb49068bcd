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
 * Joins the feeds of a store's partitions and puts each commit into the buffers of those who watch,
 * on a thread of its own that is started by the first watch. It waits for no user; if it can't
 * follow the committers itself, or fails, all watches overflow. Thread-safe.
 */
public final class WatchDispatcher implements AutoCloseable {
  /** How often partitions are asked again while something before a held commit is undecided. */
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /**
   * So many commits and objects may be held for a partition that does not move on: one that has
   * failed never does.
   */
  private static final long MOST_HELD = 1 << 19;

  /** And names and effects of so many bytes, unless one commit has more. */
  private static final long MOST_HELD_BYTES = HeapShare.ofLarge(256L << 20, 1);

  private final LocalDataCentre local;
  private final List<CommitSource> sources;
  private final int limit;
  private final long mostHeld;
  private final WatchMemory memory;
  private final FaultLog faults = new FaultLog();
  private final SupervisedThread thread = new SupervisedThread("watch-dispatch", this::run, faults);
  private final ReentrantLock lock = new ReentrantLock();

  /** The buffers of watches that have joined the present. */
  @GuardedBy("lock")
  private final List<WatchBuffer> live = new ArrayList<>();

  @GuardedBy("lock")
  private final List<WatchBuffer> open = new ArrayList<>();

  /** Commits after it come through the feeds, if these are open. */
  @GuardedBy("lock")
  private VectorClock openedAt = VectorClock.ZERO;

  @GuardedBy("lock")
  private CommitMerger merger;

  private volatile boolean isWoken;

  /** Whether somebody wants what was done to objects, since the feeds were opened. */
  @GuardedBy("lock")
  private boolean collectsEffects;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * @param local the data centre of the partitions
   * @param sources the partitions, at least one
   * @param limit how many watches may be open
   */
  public WatchDispatcher(LocalDataCentre local, List<CommitSource> sources, int limit) {
    this(local, sources, limit, MOST_HELD, WatchMemory.MOST_BYTES);
  }

  /**
   * @param mostHeld how many commits and objects may wait for a partition that does not move on
   * @param memory how many bytes may wait for the users of all watches
   */
  WatchDispatcher(
      LocalDataCentre local, List<CommitSource> sources, int limit, long mostHeld, long memory) {
    this.local = local;
    this.sources = List.copyOf(sources);
    this.limit = limit;
    this.mostHeld = mostHeld;
    this.memory = new WatchMemory(memory);
    this.merger = newMerger();
  }

  List<CommitSource> sources() {
    return sources;
  }

  WatchMemory memory() {
    return memory;
  }

  /** Ends watches other than one that reads, if all of them hold too much. */
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

  /** Merges the commits of the partitions after a point. */
  CommitMerger merger(VectorClock from) {
    return new CommitMerger(local, sources.size(), from);
  }

  /** How many commits a watch may hold for partitions and data centres that are behind. */
  long mostHeld() {
    return mostHeld;
  }

  /**
   * The bytes that an open watch may read ahead of partitions that are behind: of all watches
   * together no more than may wait in their buffers.
   */
  long mostReadAhead() {
    lock.lock();
    try {
      return Math.min(WatchBuffer.MOST_BYTES, memory.shareOf(open.size()));
    } finally {
      lock.unlock();
    }
  }

  /** Whether anything has ever come from another data centre. */
  boolean hasOthers() {
    return sources.stream()
        .anyMatch(source -> !local.othersAreAtOrBefore(source.feed().newest(), VectorClock.ZERO));
  }

  /** Its time in a vector. */
  long timeIn(VectorClock vector) {
    return local.timeIn(vector);
  }

  /**
   * At or after all commits of this data centre that were published so far. Its other entries are
   * 0: partitions differ in what has arrived from other data centres, and watches do not wait for
   * it.
   */
  VectorClock newest() {
    return newestAfter(VectorClock.ZERO);
  }

  /** As {@link #newest}, and at or after a point in the entry of this data centre. */
  VectorClock newestAfter(VectorClock point) {
    VectorClock newest = local.at(local.timeIn(point));
    for (CommitSource source : sources) {
      newest = local.raise(newest, local.timeIn(source.feed().newest()));
    }
    return newest;
  }

  /** Counts a watch until it leaves. */
  void register(WatchBuffer buffer) {
    lock.lock();
    try {
      if (open.size() >= limit) {
        throw new LimitExceededException(
            "%,d watches are open, and no more are allowed: close some, or raise the limit openWatches"
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
   * From now on commits go into a buffer.
   *
   * @param known a point that partitions move on to, if they are before it
   * @return the point after which all of this data centre do; of others those that become durable
   *     from now on, and perhaps some more
   */
  VectorClock join(WatchBuffer buffer, VectorClock known) {
    lock.lock();
    try {
      if (live.isEmpty() && !closed) {
        openFeeds();
      }
      if (buffer.wanted().withEffects() && !collectsEffects) {
        // What was collected without them comes from the journals.
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

  /** Forgets a watch. */
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
      // What changes from here on, and who closes, is looked at again.
      isWoken = false;
      if (isClosed()) {
        return;
      }
      try {
        VectorClock wanted = dispatch();
        // Not what partitions have reached by now: nobody is told when an idle one is moved on.
        if (isHandedOn(wanted)) {
          sleep();
        } else {
          moveOn(wanted);
        }
      } catch (Throwable e) {
        // What was drained and not handed on is lost: no watch may go on as if there were no gap.
        overflow();
        throw e;
      }
    }
  }

  /** Has the thread look again at everything. Returns at once. */
  private void wake() {
    isWoken = true;
    thread.unpark();
  }

  /** Sleeps until woken. An unpark alone would not do: waiting for a lock uses it up. */
  private void sleep() {
    while (!isWoken) {
      LockSupport.park(this);
    }
  }

  /** What the thread has survived, in words; empty if nothing. */
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
   * Hands on what every partition has told.
   *
   * @return what the partitions still have to reach so that all is handed on, but for what has to
   *     come from other data centres
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
      for (OrderedCommit told : merger.release()) {
        WatchMemory.Charge charge = memory.charge(told.writes());
        live.forEach(buffer -> buffer.offer(told.writes(), charge, told.token()));
        memory.relieve(open);
      }
      VectorClock complete = merger.complete();
      live.forEach(buffer -> buffer.complete(complete));
      if (merger.heldSize() > mostHeld || merger.holdsMoreThan(MOST_HELD_BYTES)) {
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
    // First the vector, then the feed: what is at or before the vector is in the feed by then.
    VectorClock stable = source.stable();
    CommitMerger into = merger;
    boolean withEffects = collectsEffects;
    source.feed().drainTo(committed -> into.add(CommittedWrites.of(committed, withEffects)));
    merger.complete(partition, stable);
    if (source.feed().hasOverflowed()) {
      overflow();
    }
  }

  /** Ends all watches of the present; each knows up to where it has everything. */
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

  /** Whether what the partitions told the last time has reached a vector, or nobody watches. */
  private boolean isHandedOn(VectorClock vector) {
    lock.lock();
    try {
      return live.isEmpty() || vector.isAtOrBefore(merger.complete());
    } finally {
      lock.unlock();
    }
  }

  /** Moves on partitions that are idle; waits a little if something is undecided in one. */
  private void moveOn(VectorClock vector) {
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
