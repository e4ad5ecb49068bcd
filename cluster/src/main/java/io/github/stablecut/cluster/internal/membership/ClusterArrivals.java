package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.DataCentreFacts.Arrived;
import io.github.stablecut.cluster.internal.membership.DataCentreFacts.Shared;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * What has come from other data centres to all partitions of the cluster, as this node knows: it is
 * what snapshots see of them. Rests on what the journals tell, which neither a restart nor a move
 * of a partition forgets. So it only grows, and what was told can be read everywhere. Thread-safe.
 */
public final class ClusterArrivals {
  /** How long ago what was shared then is known, in steps of that. */
  private static final Duration STEP = Duration.ofSeconds(5);

  /** An hour, which is longer than any transaction. */
  private static final int MOST_STEPS = 720;

  private final LongSupplier nanoTime;
  private final Map<Integer, Arrived> byPartition = new HashMap<>();
  private final Deque<Past> past = new ArrayDeque<>();
  private volatile Shared shared = Shared.NOTHING;
  private volatile VectorClock last = VectorClock.ZERO;

  private record Past(long nanos, VectorClock transactions) {}

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  public ClusterArrivals(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** What has come to all partitions. */
  public Shared shared() {
    return shared;
  }

  /**
   * Another node tells what it knows.
   *
   * @return whether that is something new
   */
  public synchronized boolean told(DataCentreFacts facts) {
    VectorClock before = last;
    facts.arrived().forEach(this::note);
    change(facts.shared());
    return !last.equals(before);
  }

  /** The last transactions that have come to any partition, and the last commit of any. */
  public VectorClock last() {
    return last;
  }

  /**
   * Something has come to partitions.
   *
   * @param partitions how many there are
   */
  public synchronized void arrived(Iterable<Arrived> some, int partitions) {
    some.forEach(this::note);
    if (byPartition.size() == partitions) {
      VectorClock times = null;
      for (Arrived one : byPartition.values()) {
        times = times == null ? one.times() : times.meet(one.times());
      }
      if (times != null) {
        change(new Shared(times, times.meet(last)));
      }
    }
  }

  /** A vector that a snapshot of any node has had: all partitions have what is up to there. */
  public synchronized void wasShared(VectorClock vector) {
    change(new Shared(vector, vector));
  }

  private void note(Arrived newest) {
    last = last.join(newest.transactions());
    byPartition.merge(
        newest.partition(),
        newest,
        (known, other) ->
            new Arrived(
                known.partition(),
                known.times().join(other.times()),
                known.transactions().join(other.transactions())));
  }

  private void change(Shared newest) {
    shared = shared.join(newest);
    long now = nanoTime.getAsLong();
    if (past.isEmpty() || now - past.getLast().nanos >= STEP.toNanos()) {
      past.addLast(new Past(now, shared.transactions()));
      if (past.size() > MOST_STEPS) {
        past.removeFirst();
      }
    }
  }

  /**
   * The last transactions that were shared so long ago, as far as this node knows: who has begun
   * since then has read them, if it knew as much.
   */
  public synchronized VectorClock before(Duration age) {
    long latest = nanoTime.getAsLong() - age.toNanos();
    VectorClock found = VectorClock.ZERO;
    for (Past one : past) {
      if (one.nanos - latest > 0) {
        break;
      }
      found = one.transactions;
    }
    return found;
  }
}
