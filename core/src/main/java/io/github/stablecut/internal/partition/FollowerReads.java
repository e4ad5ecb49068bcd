package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.internal.truncation.Horizon;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads from a copy while it follows: of snapshots at or below a time up to which, as a leader has
 * told, every commit is in records that are applied here. Who reads asks the leader for a newer
 * one; if that says nothing, the last one holds still. Thread-safe; what the copy's thread calls
 * says so.
 *
 * <p>Invariant: nothing is read that is not committed, and of a snapshot all that ever will be.
 */
final class FollowerReads {
  /** What was told so long ago is new enough for who does not say what he has seen. */
  private static final long FRESH_NANOS = 250_000_000;

  /** Who asks again and again, and hears nothing for so long, does not wait for it. */
  private static final long PATIENCE_NANOS = 1_000_000_000;

  /** Nobody has asked for so long: that nothing was heard says nothing. */
  private static final long IDLE_NANOS = 2_000_000_000;

  private static final long ASK_NANOS = 5_000_000;
  private static final long LOOK_NANOS = 1_000_000;

  /** Every commit up to a time is in the records below a number. */
  private record Told(long time, long next) {}

  private final LocalDataCentre local;
  private final LongSupplier leading;
  private final Runnable ask;
  private final LongSupplier nanoTime;
  private final AtomicLong asked;

  /** Since when it was asked, and nothing was heard; 0 if it was heard since. */
  private volatile long silentSince;

  private volatile @Nullable Source source;

  /** What a copy reads from until it follows no more. */
  private final class Source implements Completeness {
    private final SnapshotReads reads;
    private volatile VectorClock stable = VectorClock.ZERO;
    private volatile long heard = nanoTime.getAsLong() - FRESH_NANOS;

    /** The first that is not applied yet, and the newest. Confined to the copy's thread. */
    private @Nullable Told first;

    private @Nullable Told newest;

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
      throw new IllegalStateException("%s is not known here, %s is".formatted(snapshot, stable));
    }

    private void applied(long next) {
      if (newest != null && newest.next <= next) {
        heard(newest.time);
        first = null;
        newest = null;
      } else if (first != null && first.next <= next) {
        heard(first.time);
        first = newest;
      }
    }

    private void heard(long time) {
      stable = local.raise(stable, time);
      heard = nanoTime.getAsLong();
      silentSince = 0;
    }
  }

  /**
   * @param leading the time up to which everything is here while the copy leads, otherwise 0
   * @param ask asks whoever leads for a time; does not wait
   */
  FollowerReads(LocalDataCentre local, LongSupplier leading, Runnable ask, LongSupplier nanoTime) {
    this.local = local;
    this.leading = leading;
    this.ask = ask;
    this.nanoTime = nanoTime;
    this.asked = new AtomicLong(nanoTime.getAsLong() - IDLE_NANOS);
  }

  /** The copy follows, with a log of which nothing is applied yet. On the copy's thread. */
  void follow(PartitionLog log, Horizon horizon) {
    source = new Source(log, horizon);
  }

  /** The copy follows no more, or with another log. On the copy's thread. */
  void end() {
    source = null;
  }

  /** A leader has told of a time. On the copy's thread. */
  void told(long time, long next) {
    Source from = source;
    if (from != null) {
      from.newest = new Told(time, next);
      from.first = from.first == null ? from.newest : from.first;
    }
  }

  /** All records below a number are applied. On the copy's thread. */
  void applied(long next) {
    Source from = source;
    if (from != null) {
      from.applied(next);
    }
  }

  /**
   * The time up to which everything is known to be here: not long ago, if the leader answers.
   *
   * @param contained it is waited for that, for some time at most
   * @return empty if none is known, and the leader has to be asked for whatever is read
   */
  OptionalLong near(long contained, long nanos) {
    long begun = nanoTime.getAsLong();
    while (true) {
      long led = leading.getAsLong();
      Source from = source;
      if (led == 0 && from == null) {
        return OptionalLong.empty();
      }
      long known = from == null ? led : Math.max(led, local.timeIn(from.stable));
      long now = nanoTime.getAsLong();
      boolean isFresh = led > 0 || (from != null && now - from.heard < FRESH_NANOS);
      if (known >= contained && isFresh) {
        return OptionalLong.of(known);
      }
      // Also of one that was silent: whoever comes next learns by that whether it still is.
      askAgain(now);
      boolean isOver = now - begun >= nanos || Thread.currentThread().isInterrupted();
      if (isOver || (isSilent(now) && (known == 0 || known >= contained))) {
        return known == 0 ? OptionalLong.empty() : OptionalLong.of(known);
      }
      LockSupport.parkNanos(this, LOOK_NANOS);
    }
  }

  private boolean isSilent(long now) {
    long since = silentSince;
    return since != 0 && now - since > PATIENCE_NANOS && now - asked.get() < IDLE_NANOS;
  }

  private void askAgain(long now) {
    long last = asked.get();
    if (now - last >= ASK_NANOS) {
      if (silentSince == 0 || now - last >= IDLE_NANOS) {
        silentSince = now;
      }
      if (asked.compareAndSet(last, now)) {
        ask.run();
      }
    }
  }

  /**
   * What somebody makes of the objects at a snapshot.
   *
   * @return empty if it is not known here to be complete, or not kept: the leader is to be asked
   */
  <T> Optional<T> read(VectorClock snapshot, Function<SnapshotReads, T> use) {
    Source from = source;
    if (from == null || !snapshot.isAtOrBefore(from.stable)) {
      return Optional.empty();
    }
    try {
      T made = use.apply(from.reads);
      return isStill(from) ? Optional.of(made) : Optional.empty();
    } catch (SnapshotTruncatedException e) {
      return Optional.empty();
    } catch (RuntimeException e) {
      if (isStill(from)) {
        throw e;
      }
      return Optional.empty();
    }
  }

  private boolean isStill(Source from) {
    return source == from;
  }
}
