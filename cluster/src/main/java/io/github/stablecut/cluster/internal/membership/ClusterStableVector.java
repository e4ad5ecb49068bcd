package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.GossipedDataCentres.Arrived;
import io.github.stablecut.cluster.internal.membership.GossipedDataCentres.Shared;
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
public final class ClusterStableVector {
  /** How long ago what was shared then is known, in steps of that. */
  private static final Duration STEP = Duration.ofSeconds(5);

  /** An hour, which is longer than any transaction. */
  private static final int MOST_STEPS = 720;

  /**
   * A reader that waits says so again and again. Whoever was not told for so long waits no more, or
   * its node can't be heard.
   */
  private static final Duration WANTED = Duration.ofSeconds(2);

  private final LongSupplier nanoTime;
  private final Map<Integer, Arrived> byPartition = new HashMap<>();
  private final Deque<Past> past = new ArrayDeque<>();
  private volatile Shared shared = Shared.NOTHING;
  private volatile VectorClock last = VectorClock.ZERO;
  private Want here = Want.NOTHING;
  private Want elsewhere = Want.NOTHING;

  private record Past(long nanos, VectorClock transactions) {}

  /**
   * What readers wait for.
   *
   * @param nanos when that was last told
   */
  private record Want(long nanos, VectorClock times) {
    static final Want NOTHING = new Want(0, VectorClock.ZERO);
  }

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  public ClusterStableVector(LongSupplier nanoTime) {
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
  public synchronized boolean told(GossipedDataCentres facts) {
    VectorClock before = last;
    facts.arrived().forEach(this::note);
    change(facts.shared());
    elsewhere = with(elsewhere, facts.wanted());
    return !last.equals(before);
  }

  /**
   * A reader of this node waits for times of other data centres, at which there may be no
   * transaction: then nothing else makes idle partitions' journals tell that these have come.
   */
  public synchronized void want(VectorClock times) {
    here = with(here, times);
  }

  private Want with(Want known, VectorClock times) {
    return times.equals(VectorClock.ZERO)
        ? known
        : new Want(nanoTime.getAsLong(), current(known).join(times));
  }

  private VectorClock current(Want want) {
    return nanoTime.getAsLong() - want.nanos > WANTED.toNanos() ? VectorClock.ZERO : want.times;
  }

  /** What readers of this node wait for; zero if none does. */
  public synchronized VectorClock wantedHere() {
    return current(here);
  }

  /**
   * Whether readers of any node wait for what has come to a partition and its journal does not tell
   * yet.
   *
   * @param recorded what the journal tells
   * @param reached what has come
   */
  public synchronized boolean isWanted(VectorClock recorded, VectorClock reached) {
    VectorClock wanted = current(here).join(current(elsewhere));
    return !wanted.meet(reached).isAtOrBefore(recorded);
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
