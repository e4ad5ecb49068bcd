package io.github.stablecut.internal.truncation;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.error.CheckpointBacklogException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.paging.PagedStates;
import io.github.stablecut.internal.thread.ManagedBlocking;
import io.github.stablecut.option.CheckpointPolicy;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The commits of a partition that are in no checkpoint. It decides when the next checkpoint is due,
 * and applies backpressure to writers before memory fills. Thread-safe.
 *
 * <p>An effect that is in no checkpoint takes about {@value #EFFECT_BYTES} bytes of heap: for its
 * object, itself, and its part of the checkpoint in progress. An effect on an object with a longer
 * name counts as several ({@link Maintenance#weight}). All partitions of a process together may
 * fill a quarter of the heap this way, in equal shares. A checkpoint is due when half of that is
 * used, or earlier as the policy requires. The hard limit is {@value #MULTIPLE} times the policy's,
 * as far as the heap allows.
 *
 * <p>A version of a large object holds copies of changed pages and added data ({@link
 * Version#heldBytes}). These may fill another quarter of the heap; a checkpoint is due at one part
 * in {@value #MULTIPLE} of that. They count only if there is something to checkpoint: a reader may
 * recreate such a version from an old one, and then no checkpoint would ever end the wait. A
 * checkpoint is also due when an unpaged state is too large for the cache ({@link
 * PagedStates#isAnyTooLarge}).
 */
final class CheckpointBacklog {
  static final int EFFECT_BYTES = 350;
  private static final int HEAP_PARTS = 4;
  private static final int MULTIPLE = 4;

  /** The lower bound of the limit, however small the policy's limits are. */
  private static final long LEAST_EFFECTS = 10_000;

  /** The lower bound for a checkpoint to be due; below it checkpoints would never stop. */
  private static final long LEAST_OF_HEAP = 1_000;

  private static final long LEAST_BYTES = 64L << 20;

  private static final long LEAST_HELD = 4L << 20;

  /** The interval at which a waiting writer checks whether waiting still makes sense. */
  private static final long CHECK_MILLIS = 50;

  /** The partitions that share the heap. */
  private static final AtomicInteger SHARERS = new AtomicInteger();

  private final int partition;
  private final CheckpointPolicy policy;
  private final Duration longestWait;
  private final long heapEffects;
  private final long heapBytes;
  private final PagedStates states;

  /** Committed since the last checkpoint began. */
  @GuardedBy("this")
  private long bytes;

  @GuardedBy("this")
  private long effects;

  /** Covered by the checkpoint in progress. */
  @GuardedBy("this")
  private long coveredBytes;

  @GuardedBy("this")
  private long coveredEffects;

  /** Whether {@link #add} has reported that a checkpoint is due. */
  @GuardedBy("this")
  private boolean isDueReported;

  @GuardedBy("this")
  private boolean isOpen;

  /** Read by every writer without the lock. */
  private volatile boolean isFull;

  private volatile int waiting;

  /**
   * @param states count what versions have copied since the last checkpoint
   */
  CheckpointBacklog(MaintenanceSetup.Settings setup, PagedStates states) {
    this.partition = setup.partition();
    this.policy = setup.policy();
    this.longestWait = setup.longestWait();
    this.heapEffects = setup.heapBytes() / HEAP_PARTS / EFFECT_BYTES;
    this.heapBytes = setup.heapBytes();
    this.states = states;
  }

  /** Starts to apply backpressure, because checkpoints are written from now on. */
  synchronized void open() {
    isOpen = true;
    SHARERS.incrementAndGet();
    updateFullness();
  }

  /** Stops applying backpressure. */
  synchronized void close() {
    if (isOpen) {
      isOpen = false;
      SHARERS.decrementAndGet();
    }
    updateFullness();
  }

  /**
   * Counts a committed group.
   *
   * @return whether this group makes the next checkpoint due, or is the first one since the last
   *     checkpoint
   */
  @CanIgnoreReturnValue
  synchronized boolean add(long addedBytes, long addedEffects) {
    boolean wasEmpty = isEmpty();
    boolean wasReported = isDueReported;
    bytes += addedBytes;
    effects += addedEffects;
    updateFullness();
    isDueReported = isDue();
    return wasEmpty || isDueReported != wasReported;
  }

  /** Whether the commits make the next checkpoint due. */
  synchronized boolean isDue() {
    return bytes >= policy.journalBytes()
        || effects >= policy.effects()
        || (!isByCall() && !isEmpty() && isMemoryFilling());
  }

  @GuardedBy("this")
  private boolean isMemoryFilling() {
    return effects >= maxEffects() / 2
        || states.heldBytes()
            > Math.max(LEAST_HELD, Math.min(maxHeld() / MULTIPLE, states.maxHeldBytes()))
        || states.isAnyTooLarge();
  }

  /** Whether nothing was committed since the last checkpoint began. */
  synchronized boolean isEmpty() {
    return effects == 0;
  }

  /** Begins a checkpoint that covers everything so far. */
  synchronized void begin() {
    coveredBytes += bytes;
    coveredEffects += effects;
    bytes = 0;
    effects = 0;
  }

  /** Completes the checkpoint. */
  synchronized void covered() {
    coveredBytes = 0;
    coveredEffects = 0;
    isDueReported = false;
    updateFullness();
  }

  /** Fails the checkpoint: the next one covers its commits. */
  synchronized void uncovered() {
    bytes += coveredBytes;
    effects += coveredEffects;
    covered();
  }

  @GuardedBy("this")
  private void updateFullness() {
    isFull = isAboveLimits();
    if (!isFull && waiting > 0) {
      notifyAll();
    }
  }

  @GuardedBy("this")
  private boolean isAboveLimits() {
    return isOpen
        && (effects + coveredEffects > maxEffects()
            || bytes + coveredBytes > maxBytes()
            || (effects + coveredEffects > 0 && states.heldBytes() > maxHeld()));
  }

  private boolean isByCall() {
    return policy.effects() == Long.MAX_VALUE;
  }

  /**
   * The limit of effects; none if the application triggers checkpoints and bounds memory itself.
   */
  private long maxEffects() {
    long heap = Math.max(LEAST_OF_HEAP, heapEffects / Math.max(1, SHARERS.get()));
    return isByCall()
        ? Long.MAX_VALUE
        : Math.min(heap, Math.max(LEAST_EFFECTS, multiple(policy.effects())));
  }

  private long maxHeld() {
    return isByCall()
        ? Long.MAX_VALUE
        : Math.max(LEAST_HELD, heapBytes / HEAP_PARTS / Math.max(1, SHARERS.get()));
  }

  private long maxBytes() {
    return Math.max(LEAST_BYTES, multiple(policy.journalBytes()));
  }

  private static long multiple(long figure) {
    return figure > Long.MAX_VALUE / MULTIPLE ? Long.MAX_VALUE : figure * MULTIPLE;
  }

  /**
   * Waits while the backlog is full. Ignores interrupts and keeps the interrupt flag.
   *
   * @param reason why checkpoints don't keep up, as the middle of a sentence
   * @throws CheckpointBacklogException if the backlog is still full after the longest wait
   */
  void awaitRoom(Supplier<String> reason) {
    if (isFull && !ManagedBlocking.during(this::awaitRoomInTime)) {
      // Without the lock: computing the reason may wait for a thread that waits for the lock.
      throw new CheckpointBacklogException(problem(reason.get()) + ": try again later");
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock, read without it
  private synchronized boolean awaitRoomInTime() {
    long endNanos = System.nanoTime() + longestWait.toNanos();
    boolean interrupted = false;
    waiting++;
    try {
      while (isFull) {
        long remainingNanos = endNanos - System.nanoTime();
        if (remainingNanos <= 0) {
          return false;
        }
        try {
          wait(Math.min(CHECK_MILLIS, TimeUnit.NANOSECONDS.toMillis(remainingNanos) + 1));
        } catch (InterruptedException e) {
          interrupted = true;
        }
        updateFullness();
      }
      return true;
    } finally {
      waiting--;
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Whether backpressure applies. */
  boolean isFull() {
    return isFull;
  }

  /** Returns a message with the reason why writers wait. */
  synchronized String problem(String reason) {
    return "partition %d has %,d operations (%,d bytes of journal) that no checkpoint has, of at most %,d (%,d), and holds up to %,d bytes of a large object besides its pages, of at most %,d: %s; writers wait for up to %s; write more slowly, or give the JVM more memory or the disk more space"
        .formatted(
            partition,
            effects + coveredEffects,
            bytes + coveredBytes,
            maxEffects(),
            maxBytes(),
            states.heldBytes(),
            maxHeld(),
            reason,
            seconds(longestWait));
  }

  private static String seconds(Duration duration) {
    return "%.1f s".formatted(duration.toMillis() / 1000.0);
  }
}
