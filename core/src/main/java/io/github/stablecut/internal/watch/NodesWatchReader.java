package io.github.stablecut.internal.watch;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.PartitionUnavailableException;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The source of a watch whose partitions are on several nodes and may move. It polls each
 * partition's current owner for the next commits and merges them, so that the journals hold what a
 * slow user has not read. While an owner is unavailable, commits that could follow one of its
 * partition are withheld. Confined to one thread at a time, except {@link #close}.
 */
public final class NodesWatchReader extends MergedCommits {
  private static final long SHORTEST_PAUSE_MICROS = 1_000;
  private static final long LONGEST_PAUSE_MICROS = 16_000;

  /** After a failure that took longer than this, the pass polls no further partition. */
  private static final long SLOW_NANOS = 1_000_000_000L;

  /** The maximum number of commits in a message. */
  private static final int MAX_IN_PIECE = 512;

  private final Partitions partitions;
  private final LocalDataCentre local;
  private final Progress[] progress;
  private final long reader = new SecureRandom().nextLong();

  /** The vector to which idle partitions advance: at or after what any of them has reached. */
  private VectorClock newest;

  /**
   * Whether the last pass found nothing; then the partitions have reached the present of that pass.
   */
  private boolean isIdle;

  private long pauseMicros = SHORTEST_PAUSE_MICROS;

  /** A partition, local or remote. */
  @FunctionalInterface
  public interface Source {
    /**
     * Returns its next commits.
     *
     * @throws PartitionUnavailableException if its owner is unreachable now
     */
    CommitReadRequest.Piece commits(CommitReadRequest reading);
  }

  /**
   * The partitions of a store.
   *
   * @param sources by partition
   * @param present a vector at or after the commits that this node knows of
   */
  public record Partitions(
      LocalDataCentre local, List<Source> sources, Supplier<VectorClock> present) {
    /** Copies. */
    public Partitions {
      sources = List.copyOf(sources);
    }
  }

  /** The progress of reading a partition. */
  private static final class Progress {
    private VectorClock complete;
    private long state;

    /** The reason why the partition can't be read; null if it can. */
    private @Nullable PartitionUnavailableException failure;

    private long failingSinceNanos;

    Progress(VectorClock complete) {
      this.complete = complete;
    }
  }

  /**
   * Creates the source of a watch that starts after a point.
   *
   * @param dispatcher counts the watch and ends it with the store
   * @param buffer knows whether the watch has ended; otherwise unused
   * @param after the point after which commits are read
   * @throws io.github.stablecut.error.LimitExceededException if too many watches are open
   */
  public static NodesWatchReader after(
      WatchDispatcher dispatcher, WatchBuffer buffer, Partitions partitions, VectorClock after) {
    NodesWatchReader reader = new NodesWatchReader(dispatcher, buffer, partitions, after);
    dispatcher.register(buffer);
    return reader;
  }

  /**
   * Creates the source of a watch of later commits.
   *
   * @param newest a vector at or after all acknowledged commits
   * @throws PartitionUnavailableException if an owner is unreachable now
   * @throws io.github.stablecut.error.LimitExceededException if too many watches are open
   */
  public static NodesWatchReader fromNow(
      WatchDispatcher dispatcher, WatchBuffer buffer, Partitions partitions, VectorClock newest) {
    NodesWatchReader reader = after(dispatcher, buffer, partitions, newest);
    try {
      // Advances all partitions, so that later transactions commit after that point.
      for (int partition = 0; partition < reader.progress.length; partition++) {
        reader.read(partition);
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
    this.progress = new Progress[partitions.sources.size()];
    for (int partition = 0; partition < progress.length; partition++) {
      progress[partition] = new Progress(after);
    }
    this.newest = local.at(local.timeIn(after));
  }

  @Override
  void readMore(long deadlineNanos) throws InterruptedException {
    if (!readAll()) {
      pause(deadlineNanos);
    }
  }

  private void pause(long deadlineNanos) throws InterruptedException {
    long remainingMicros = TimeUnit.NANOSECONDS.toMicros(deadlineNanos - System.nanoTime());
    if (remainingMicros > 0) {
      TimeUnit.MICROSECONDS.sleep(Math.min(remainingMicros, pauseMicros));
      pauseMicros = Math.min(2 * pauseMicros, LONGEST_PAUSE_MICROS);
    }
  }

  /** Reads a piece of each partition; returns whether there were any commits. */
  private boolean readAll() {
    boolean isAny = false;
    for (int partition = 0; partition < progress.length; partition++) {
      if (isAwaited(partition)) {
        long begunNanos = System.nanoTime();
        isAny |= readIfAvailable(partition, begunNanos);
        if (progress[partition].failure != null && System.nanoTime() - begunNanos > SLOW_NANOS) {
          // The user's call would wait for each unreachable partition, and gets no commits without
          // it.
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
      // Lets a watch reach a snapshot even if nothing is committed after it.
      raise(partitions.present.get());
    }
    isIdle = !isAny;
    return isAny;
  }

  private boolean readIfAvailable(int partition, long begunNanos) {
    Progress part = progress[partition];
    try {
      boolean isAny = read(partition);
      part.failure = null;
      return isAny;
    } catch (PartitionUnavailableException e) {
      // The next owner continues after the same point.
      part.failingSinceNanos = part.failure == null ? begunNanos : part.failingSinceNanos;
      part.failure = e;
      return false;
    }
  }

  @Override
  public void checkReached(long longestNanos) {
    long nowNanos = System.nanoTime();
    for (Progress part : progress) {
      PartitionUnavailableException failure = part.failure;
      if (failure != null && nowNanos - part.failingSinceNanos >= longestNanos) {
        throw failure;
      }
    }
  }

  private void raise(VectorClock reached) {
    newest = local.raise(newest, local.timeIn(reached));
  }

  /**
   * Whether a partition is read now: partitions that are ahead pause while many commits wait for
   * the others.
   */
  private boolean isAwaited(int partition) {
    boolean hasCapacity =
        merger.heldCommits() < buffer.capacity() && merger.heldBytes() < dispatcher.maxReadAhead();
    return hasCapacity
        || local.timeIn(progress[partition].complete) <= local.timeIn(merger.complete());
  }

  @CanIgnoreReturnValue
  private boolean read(int partition) {
    Progress part = progress[partition];
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
                    Math.min(buffer.capacity(), MAX_IN_PIECE)));
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
