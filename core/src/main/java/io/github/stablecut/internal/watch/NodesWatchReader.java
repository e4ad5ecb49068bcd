package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.PartitionUnavailableException;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a watch reads whose partitions are on several nodes, which may give them to each other: it
 * asks each partition again and again for what comes next, wherever that is, and joins it. So what
 * waits for a slow user waits in the journals. While an owner is away nothing is told that a commit
 * of its partition could be before. Confined to one thread at a time, but for {@link #close}.
 */
public final class NodesWatchReader extends MergedCommits {
  private static final long SHORTEST_PAUSE_MICROS = 1_000;
  private static final long LONGEST_PAUSE_MICROS = 16_000;

  /** After a failure that took longer no other partition is asked in the same pass. */
  private static final long SLOW_NANOS = 1_000_000_000L;

  /** A message has so many commits at most. */
  private static final int MOST_IN_PIECE = 512;

  private final Partitions partitions;
  private final LocalDataCentre local;
  private final Part[] parts;
  private final long reader = new SecureRandom().nextLong();

  /** Partitions move on to it: at or after what any of them has reached. */
  private VectorClock newest;

  /** Whether the last pass found nothing, so that the partitions have reached its present. */
  private boolean isIdle;

  private long pauseMicros = SHORTEST_PAUSE_MICROS;

  /** A partition, wherever it is. */
  @FunctionalInterface
  public interface Source {
    /**
     * Its next commits.
     *
     * @throws PartitionUnavailableException if its owner can't be asked now
     */
    CommitReadRequest.Piece commits(CommitReadRequest reading);
  }

  /**
   * The partitions of a store.
   *
   * @param sources by partition
   * @param present at or after what this node knows to be committed
   */
  public record Partitions(
      LocalDataCentre local, List<Source> sources, Supplier<VectorClock> present) {
    /** Copies. */
    public Partitions {
      sources = List.copyOf(sources);
    }
  }

  /** How far a partition was read. */
  private static final class Part {
    private VectorClock complete;
    private long state;

    /** Why it can't be read since some time; null if it can. */
    private @Nullable PartitionUnavailableException failure;

    private long failingSince;

    Part(VectorClock complete) {
      this.complete = complete;
    }
  }

  /**
   * A watch of what comes after a point.
   *
   * @param dispatcher counts it, and ends it with the store
   * @param buffer knows whether the watch has ended; has nothing else
   * @param after the point after which commits are wanted
   * @throws io.github.stablecut.error.LimitExceededException if too many watches are open
   */
  public static NodesWatchReader after(
      WatchDispatcher dispatcher, WatchBuffer buffer, Partitions partitions, VectorClock after) {
    NodesWatchReader reader = new NodesWatchReader(dispatcher, buffer, partitions, after);
    dispatcher.register(buffer);
    return reader;
  }

  /**
   * A watch of what is committed from now on.
   *
   * @param newest at or after all that was acknowledged
   * @throws PartitionUnavailableException if an owner can't be asked now
   * @throws io.github.stablecut.error.LimitExceededException if too many watches are open
   */
  public static NodesWatchReader fromNow(
      WatchDispatcher dispatcher, WatchBuffer buffer, Partitions partitions, VectorClock newest) {
    NodesWatchReader reader = after(dispatcher, buffer, partitions, newest);
    try {
      // Whatever begins from now on, on whichever partition, is committed after that point.
      for (int partition = 0; partition < reader.parts.length; partition++) {
        boolean unused = reader.read(partition);
      }
      return reader;
    } catch (RuntimeException | Error e) {
      reader.close();
      throw e;
    }
  }

  private NodesWatchReader(
      WatchDispatcher dispatcher, WatchBuffer buffer, Partitions partitions, VectorClock after) {
    super(
        dispatcher,
        buffer,
        new CommitMerger(partitions.local, partitions.sources.size(), after),
        after);
    this.partitions = partitions;
    this.local = partitions.local;
    this.parts = new Part[partitions.sources.size()];
    for (int partition = 0; partition < parts.length; partition++) {
      parts[partition] = new Part(after);
    }
    this.newest = local.at(local.timeIn(after));
  }

  @Override
  void readOn(long deadlineNanos) throws InterruptedException {
    if (!readAll()) {
      pause(deadlineNanos);
    }
  }

  private void pause(long deadlineNanos) throws InterruptedException {
    long left = TimeUnit.NANOSECONDS.toMicros(deadlineNanos - System.nanoTime());
    if (left > 0) {
      TimeUnit.MICROSECONDS.sleep(Math.min(left, pauseMicros));
      pauseMicros = Math.min(2 * pauseMicros, LONGEST_PAUSE_MICROS);
    }
  }

  /** Reads a piece of each partition; returns whether there was anything. */
  private boolean readAll() {
    boolean isAny = false;
    for (int partition = 0; partition < parts.length; partition++) {
      if (isAwaited(partition)) {
        long begun = System.nanoTime();
        isAny |= readIfThere(partition, begun);
        if (parts[partition].failure != null && System.nanoTime() - begun > SLOW_NANOS) {
          // Whoever takes waits for each that can't be asked, and is told nothing without it.
          break;
        }
      }
    }
    List<OrderedCommit> released = merger.release();
    deliverFromJournal(released);
    isAny |= !released.isEmpty();
    if (isAny) {
      pauseMicros = SHORTEST_PAUSE_MICROS;
    } else if (!isIdle) {
      // So a program that reads up to a snapshot gets there, also if nothing is committed after it.
      raise(partitions.present.get());
    }
    isIdle = !isAny;
    return isAny;
  }

  private boolean readIfThere(int partition, long begun) {
    Part part = parts[partition];
    try {
      boolean isAny = read(partition);
      part.failure = null;
      return isAny;
    } catch (PartitionUnavailableException e) {
      // Its next owner goes on after the same point.
      part.failingSince = part.failure == null ? begun : part.failingSince;
      part.failure = e;
      return false;
    }
  }

  @Override
  public void checkReached(long longest) {
    long now = System.nanoTime();
    for (Part part : parts) {
      PartitionUnavailableException failure = part.failure;
      if (failure != null && now - part.failingSince >= longest) {
        throw failure;
      }
    }
  }

  private void raise(VectorClock reached) {
    newest = local.raise(newest, local.timeIn(reached));
  }

  /** Whether a partition is read on: those that are ahead are not while much waits for others. */
  private boolean isAwaited(int partition) {
    boolean isRoom =
        merger.heldCommits() < buffer.capacity() && merger.heldBytes() < dispatcher.mostReadAhead();
    return isRoom || local.timeIn(parts[partition].complete) <= local.timeIn(merger.complete());
  }

  private boolean read(int partition) {
    Part part = parts[partition];
    CommitReadRequest.Piece piece =
        partitions
            .sources
            .get(partition)
            .commits(
                new CommitReadRequest(
                    reader,
                    part.state,
                    part.complete,
                    buffer.wanted(),
                    newest,
                    Math.min(buffer.capacity(), MOST_IN_PIECE)));
    part.state = piece.state();
    part.complete = piece.complete();
    for (CommittedWrites writes : piece.writes()) {
      merger.add(writes);
      raise(writes.at());
    }
    raise(piece.complete());
    merger.complete(partition, piece.complete());
    return !piece.writes().isEmpty() || !piece.atEnd();
  }
}
