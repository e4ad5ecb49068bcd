package io.github.stablecut.internal.partition.replicated;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.internal.partition.SnapshotReads;
import io.github.stablecut.internal.partition.commit.Completeness;
import io.github.stablecut.internal.partition.commit.PartitionLog;
import io.github.stablecut.internal.truncation.Horizon;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads from a follower, at snapshots up to a complete time: the leader reported that every commit
 * up to it is in certain records, which are applied here. Readers ask the leader for a newer time.
 * If it does not answer, the last one still holds. Thread-safe; methods that the replica's thread
 * calls say so.
 *
 * <p>Invariant: a read sees only committed transactions, and of its snapshot every transaction that
 * will ever be in it.
 */
final class FollowerReads {
  /**
   * A time reported within this interval is fresh enough for readers that name no point they have
   * seen.
   */
  private static final long FRESH_NANOS = 250_000_000;

  /** After unanswered requests for this time, readers stop waiting. */
  private static final long SILENCE_NANOS = 1_000_000_000;

  /** After no request for this time, the leader's silence means nothing. */
  private static final long IDLE_NANOS = 2_000_000_000;

  /** Minimum interval between requests to the leader. */
  private static final long ASK_NANOS = 5_000_000;

  /** Interval at which a waiting reader looks again. */
  private static final long POLL_NANOS = 1_000_000;

  /** Every commit up to a time is in the records below a number. */
  private record CompleteReport(long time, long next) {}

  private final LocalDataCentre local;
  private final LongSupplier leading;
  private final Runnable ask;
  private final LongSupplier nanoTime;
  private final AtomicLong askedAtNanos;

  /** The time at which the first unanswered request was sent; 0 if there is none. */
  private volatile long silentSinceNanos;

  private volatile @Nullable Source source;

  /** The log that a follower reads from until it stops following. */
  private final class Source implements Completeness {
    private final SnapshotReads reads;
    private volatile VectorClock stable = VectorClock.ZERO;
    private volatile long heardAtNanos = nanoTime.getAsLong() - FRESH_NANOS;

    /**
     * The first report that is not applied yet. Confined to the replica's thread, like the newest.
     */
    private @Nullable CompleteReport first;

    private @Nullable CompleteReport newest;

    Source(PartitionLog log, Horizon horizon) {
      this.reads =
          new SnapshotReads(log.state().index(), this, log.checkpoints(), log.versions(), horizon);
    }

    @Override
    public VectorClock stable() {
      return stable;
    }

    @Override
    public void awaitComplete(Bytes id, VectorClock snapshot) {
      awaitComplete(snapshot);
    }

    @Override
    public void awaitComplete(VectorClock snapshot) {
      if (snapshot.isAtOrBefore(stable)) {
        return;
      }
      throw new IllegalStateException(
          "the snapshot %s is not complete here: the stable vector is %s"
              .formatted(snapshot, stable));
    }

    private void applied(long next) {
      if (newest != null && newest.next <= next) {
        advance(newest.time);
        first = null;
        newest = null;
      } else if (first != null && first.next <= next) {
        advance(first.time);
        first = newest;
      }
    }

    private void advance(long time) {
      stable = local.raise(stable, time);
      heardAtNanos = nanoTime.getAsLong();
      silentSinceNanos = 0;
    }
  }

  /**
   * @param leading the time up to which this replica is complete while it leads; otherwise 0
   * @param ask asks the leader for a complete time; does not block
   */
  FollowerReads(LocalDataCentre local, LongSupplier leading, Runnable ask, LongSupplier nanoTime) {
    this.local = local;
    this.leading = leading;
    this.ask = ask;
    this.nanoTime = nanoTime;
    this.askedAtNanos = new AtomicLong(nanoTime.getAsLong() - IDLE_NANOS);
  }

  /** The replica follows, with a log of which nothing is applied yet. On the replica's thread. */
  void follow(PartitionLog log, Horizon horizon) {
    source = new Source(log, horizon);
  }

  /** The replica stops following, or follows with another log. On the replica's thread. */
  void end() {
    source = null;
  }

  /** The leader reported a complete time. On the replica's thread. */
  void reportComplete(long time, long next) {
    Source from = source;
    if (from != null) {
      from.newest = new CompleteReport(time, next);
      from.first = from.first == null ? from.newest : from.first;
    }
  }

  /** All records below a number are applied. On the replica's thread. */
  void applied(long next) {
    Source from = source;
    if (from != null) {
      from.applied(next);
    }
  }

  /**
   * The time up to which this replica is known to be complete; recent if the leader answers.
   *
   * @param contained a time to wait for, for {@code nanos} at most
   * @return empty if no time is known, so that the leader must serve the read
   */
  OptionalLong near(long contained, long nanos) {
    long beganAtNanos = nanoTime.getAsLong();
    while (true) {
      long led = leading.getAsLong();
      Source from = source;
      if (led == 0 && from == null) {
        return OptionalLong.empty();
      }
      long known = from == null ? led : Math.max(led, local.timeIn(from.stable));
      long nowNanos = nanoTime.getAsLong();
      boolean isFresh = led > 0 || (from != null && nowNanos - from.heardAtNanos < FRESH_NANOS);
      if (known >= contained && isFresh) {
        return OptionalLong.of(known);
      }
      // This includes a silent leader: the next reader learns whether it still is.
      askAgain(nowNanos);
      boolean isOver = nowNanos - beganAtNanos >= nanos || Thread.currentThread().isInterrupted();
      if (isOver || (isSilent(nowNanos) && (known == 0 || known >= contained))) {
        return known == 0 ? OptionalLong.empty() : OptionalLong.of(known);
      }
      LockSupport.parkNanos(this, POLL_NANOS);
    }
  }

  private boolean isSilent(long nowNanos) {
    long sinceNanos = silentSinceNanos;
    return sinceNanos != 0
        && nowNanos - sinceNanos > SILENCE_NANOS
        && nowNanos - askedAtNanos.get() < IDLE_NANOS;
  }

  private void askAgain(long nowNanos) {
    long lastNanos = askedAtNanos.get();
    if (nowNanos - lastNanos >= ASK_NANOS) {
      if (silentSinceNanos == 0 || nowNanos - lastNanos >= IDLE_NANOS) {
        silentSinceNanos = nowNanos;
      }
      if (askedAtNanos.compareAndSet(lastNanos, nowNanos)) {
        ask.run();
      }
    }
  }

  /**
   * Reads objects at a snapshot.
   *
   * @return empty if the snapshot is not known to be complete here, or is truncated: the leader
   *     must serve the read
   */
  <T> Optional<T> read(VectorClock snapshot, Function<SnapshotReads, T> use) {
    Source from = source;
    if (from == null || !snapshot.isAtOrBefore(from.stable)) {
      return Optional.empty();
    }
    try {
      T made = use.apply(from.reads);
      return isCurrent(from) ? Optional.of(made) : Optional.empty();
    } catch (SnapshotTruncatedException e) {
      return Optional.empty();
    } catch (RuntimeException e) {
      if (isCurrent(from)) {
        throw e;
      }
      return Optional.empty();
    }
  }

  private boolean isCurrent(Source from) {
    return source == from;
  }
}
