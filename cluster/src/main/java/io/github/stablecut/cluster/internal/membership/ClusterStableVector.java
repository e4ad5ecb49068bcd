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
 * The stable vector of the cluster, as far as this node knows: up to which transactions of other
 * data centres are durable at all partitions. Snapshots see other data centres up to it. It derives
 * from the partitions' journals, so it survives restarts and moves of partitions. Hence it never
 * decreases, and every node can serve reads at it. Thread-safe.
 */
public final class ClusterStableVector {
  /** The resolution of the history. */
  private static final Duration STEP = Duration.ofSeconds(5);

  /** The length of the history in steps: one hour, longer than any transaction. */
  private static final int MOST_STEPS = 720;

  /**
   * Waiting readers announce their times repeatedly. Times without an announcement for this long
   * are stale: no reader waits for them, or its node is unreachable.
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
   * The times that readers wait for.
   *
   * @param nanos the time of the last announcement
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

  /** The stable vector, and the last transactions up to it. */
  public Shared shared() {
    return shared;
  }

  /**
   * Merges the knowledge of another node.
   *
   * @return whether that adds transactions to {@link #last}
   */
  public synchronized boolean told(GossipedDataCentres facts) {
    VectorClock before = last;
    facts.arrived().forEach(this::note);
    change(facts.shared());
    elsewhere = with(elsewhere, facts.wanted());
    return !last.equals(before);
  }

  /**
   * Announces that a reader of this node waits for times of other data centres. If these have no
   * transaction at such a time, only the announcement makes the journals of idle partitions record
   * the progress.
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

  /** The times that readers of this node wait for; zero if none does. */
  public synchronized VectorClock wantedHere() {
    return current(here);
  }

  /**
   * Whether a reader of any node waits for progress that a partition has made but not yet recorded
   * in its journal.
   *
   * @param recorded the times that the journal has recorded
   * @param reached the times that the partition has reached
   */
  public synchronized boolean isWanted(VectorClock recorded, VectorClock reached) {
    VectorClock wanted = current(here).join(current(elsewhere));
    return !wanted.meet(reached).isAtOrBefore(recorded);
  }

  /** The last transactions received by any partition, and the last local commit of any. */
  public VectorClock last() {
    return last;
  }

  /**
   * Merges the progress of partitions.
   *
   * @param partitions the number of partitions of the cluster
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

  /** Records the vector of a snapshot of any node: all partitions are complete up to it. */
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
   * The transactions of the stable vector a while ago, as far as this node knew it. A transaction
   * that began since then has read them, if its node knew as much.
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
