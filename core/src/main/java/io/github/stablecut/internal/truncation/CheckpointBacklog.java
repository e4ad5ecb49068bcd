package io.github.stablecut.internal.truncation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.error.CheckpointBacklogException;
import io.github.stablecut.option.CheckpointPolicy;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * What was committed on a partition and is in no checkpoint: it decides when the next one is due,
 * and holds writers back before it fills the memory. Thread-safe.
 *
 * <p>An effect that no checkpoint has takes about {@value #EFFECT_BYTES} bytes of the heap: its
 * object, itself, and its part of the checkpoint that is being made. All partitions of a process
 * together may fill a quarter of the heap so, each an equal part of it. A checkpoint is due when
 * half of that is used, or earlier if the policy says so. The hard limit is {@value #MULTIPLE}
 * times the policy's, as far as the heap allows.
 */
final class CheckpointBacklog {
  private static final int EFFECT_BYTES = 350;
  private static final int HEAP_PARTS = 4;
  private static final int MULTIPLE = 4;

  /** However small the policy's figures are, nobody is held back below these. */
  private static final long LEAST_EFFECTS = 10_000;

  /** With a checkpoint for less than this nothing would be done but checkpoints. */
  private static final long LEAST_OF_HEAP = 1_000;

  private static final long LEAST_BYTES = 64L << 20;

  /** How often who waits looks whether there is any sense in it. */
  private static final long LOOK_MILLIS = 50;

  /** The partitions that share the heap. */
  private static final AtomicInteger SHARERS = new AtomicInteger();

  private final int partition;
  private final CheckpointPolicy policy;
  private final Duration longestWait;
  private final long heapEffects;

  /** Since the last checkpoint was begun. */
  @GuardedBy("this")
  private long bytes;

  @GuardedBy("this")
  private long effects;

  /** What the checkpoint that is being made will have. */
  @GuardedBy("this")
  private long coveredBytes;

  @GuardedBy("this")
  private long coveredEffects;

  @GuardedBy("this")
  private boolean isOpen;

  /** Read without the lock by every writer. */
  private volatile boolean isFull;

  private volatile int waiting;

  /**
   * @param longestWait how long a writer is held back before it is refused
   * @param heapBytes the memory that all partitions of the process share
   */
  CheckpointBacklog(int partition, CheckpointPolicy policy, Duration longestWait, long heapBytes) {
    this.partition = partition;
    this.policy = policy;
    this.longestWait = longestWait;
    this.heapEffects = heapBytes / HEAP_PARTS / EFFECT_BYTES;
  }

  /** From now on writers are held back, as somebody makes checkpoints. */
  synchronized void open() {
    isOpen = true;
    SHARERS.incrementAndGet();
    look();
  }

  /** Nobody is held back any more. */
  synchronized void close() {
    if (isOpen) {
      isOpen = false;
      SHARERS.decrementAndGet();
    }
    look();
  }

  /**
   * Counts a committed group.
   *
   * @return whether the next checkpoint is due now and was not before, or this is the first group
   *     since the last one
   */
  synchronized boolean add(long addedBytes, long addedEffects) {
    boolean wasDue = isDue();
    boolean wasEmpty = isEmpty();
    bytes += addedBytes;
    effects += addedEffects;
    look();
    return wasEmpty || isDue() != wasDue;
  }

  /** Whether the next checkpoint is due because of what was committed. */
  synchronized boolean isDue() {
    return bytes >= policy.journalBytes()
        || effects >= policy.effects()
        || (!isByCall() && effects >= mostEffects() / 2);
  }

  /** Whether nothing was committed since the last checkpoint was begun. */
  synchronized boolean isEmpty() {
    return effects == 0;
  }

  /** A checkpoint is begun that will have all there is. */
  synchronized void begin() {
    coveredBytes += bytes;
    coveredEffects += effects;
    bytes = 0;
    effects = 0;
  }

  /** There is a checkpoint that has what was there when it was begun. */
  synchronized void covered() {
    coveredBytes = 0;
    coveredEffects = 0;
    look();
  }

  /** The checkpoint that was begun failed: what it was to have waits for the next. */
  synchronized void uncovered() {
    bytes += coveredBytes;
    effects += coveredEffects;
    covered();
  }

  @GuardedBy("this")
  private void look() {
    isFull = isAboveLimits();
    if (!isFull && waiting > 0) {
      notifyAll();
    }
  }

  @GuardedBy("this")
  private boolean isAboveLimits() {
    return isOpen
        && (effects + coveredEffects > mostEffects() || bytes + coveredBytes > mostBytes());
  }

  private boolean isByCall() {
    return policy.effects() == Long.MAX_VALUE;
  }

  /** Who makes checkpoints by call bounds memory himself. */
  private long mostEffects() {
    long heap = Math.max(LEAST_OF_HEAP, heapEffects / Math.max(1, SHARERS.get()));
    return isByCall()
        ? Long.MAX_VALUE
        : Math.min(heap, Math.max(LEAST_EFFECTS, multiple(policy.effects())));
  }

  private long mostBytes() {
    return Math.max(LEAST_BYTES, multiple(policy.journalBytes()));
  }

  private static long multiple(long figure) {
    return figure > Long.MAX_VALUE / MULTIPLE ? Long.MAX_VALUE : figure * MULTIPLE;
  }

  /**
   * Waits while there is too much. An interrupt does not end the wait; its flag stays set.
   *
   * @param reason why checkpoints don't keep up, as the middle of a sentence
   * @throws CheckpointBacklogException if there is too much still after the longest wait
   */
  void awaitRoom(Supplier<String> reason) {
    if (isFull) {
      awaitSlowly(reason);
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock, read without it
  private synchronized void awaitSlowly(Supplier<String> reason) {
    long end = System.nanoTime() + longestWait.toNanos();
    boolean interrupted = false;
    waiting++;
    try {
      while (isFull) {
        long left = end - System.nanoTime();
        if (left <= 0) {
          throw new CheckpointBacklogException(problem(reason.get()) + ": try again later");
        }
        try {
          wait(Math.min(LOOK_MILLIS, TimeUnit.NANOSECONDS.toMillis(left) + 1));
        } catch (InterruptedException e) {
          interrupted = true;
        }
        look();
      }
    } finally {
      waiting--;
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Whether writers are held back. */
  boolean isFull() {
    return isFull;
  }

  /** What keeps writers waiting, in words. */
  synchronized String problem(String reason) {
    return "partition %d has %,d operations (%,d bytes of journal) that no checkpoint has, of at most %,d (%,d): %s; writers wait %s at most; write more slowly, or give the JVM more memory or the disk more room"
        .formatted(
            partition,
            effects + coveredEffects,
            bytes + coveredBytes,
            mostEffects(),
            mostBytes(),
            reason,
            seconds(longestWait));
  }

  private static String seconds(Duration duration) {
    return "%.1f s".formatted(duration.toMillis() / 1000.0);
  }
}
