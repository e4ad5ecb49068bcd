package io.github.stablecut.cluster.internal.membership;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.GossipedDataCentres.ClusterProgress;
import io.github.stablecut.cluster.internal.membership.GossipedDataCentres.PartitionProgress;
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
  private static final int MAX_STEPS = 720;

  /**
   * Waiting readers announce their times repeatedly. Times without an announcement for this long
   * are stale: no reader waits for them, or its node is unreachable.
   */
  private static final Duration ANNOUNCEMENT_EXPIRES_AFTER = Duration.ofSeconds(2);

  private final LongSupplier nanoTime;
  private final Map<Integer, PartitionProgress> byPartition = new HashMap<>();
  private final Deque<HistoryEntry> history = new ArrayDeque<>();
  private volatile ClusterProgress shared = ClusterProgress.NOTHING;
  private volatile VectorClock last = VectorClock.ZERO;
  private AwaitedTimes awaitedHere = AwaitedTimes.NOTHING;
  private AwaitedTimes elsewhere = AwaitedTimes.NOTHING;

  private record HistoryEntry(long atNanos, VectorClock transactions) {}

  /**
   * The times that readers wait for.
   *
   * @param announcedAtNanos the time of the last announcement
   */
  private record AwaitedTimes(long announcedAtNanos, VectorClock times) {
    static final AwaitedTimes NOTHING = new AwaitedTimes(0, VectorClock.ZERO);
  }

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  public ClusterStableVector(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** The stable vector, and the last transactions up to it. */
  public ClusterProgress shared() {
    return shared;
  }

  /**
   * Merges the knowledge of another node.
   *
   * @return whether that adds transactions to {@link #last}
   */
  public synchronized boolean merge(GossipedDataCentres facts) {
    VectorClock before = last;
    facts.partitions().forEach(this::record);
    advance(facts.cluster());
    elsewhere = announced(elsewhere, facts.awaited());
    return !last.equals(before);
  }

  /**
   * Announces that a reader of this node waits for times of other data centres. If these have no
   * transaction at such a time, only the announcement makes the journals of idle partitions record
   * the progress.
   */
  public synchronized void announce(VectorClock times) {
    awaitedHere = announced(awaitedHere, times);
  }

  private AwaitedTimes announced(AwaitedTimes known, VectorClock times) {
    return times.equals(VectorClock.ZERO)
        ? known
        : new AwaitedTimes(nanoTime.getAsLong(), current(known).join(times));
  }

  private VectorClock current(AwaitedTimes awaited) {
    return nanoTime.getAsLong() - awaited.announcedAtNanos > ANNOUNCEMENT_EXPIRES_AFTER.toNanos()
        ? VectorClock.ZERO
        : awaited.times;
  }

  /** The times that readers of this node wait for; zero if none does. */
  public synchronized VectorClock awaitedHere() {
    return current(awaitedHere);
  }

  /**
   * Whether a reader of any node waits for progress that a partition has made but not yet recorded
   * in its journal.
   *
   * @param recorded the times that the journal has recorded
   * @param reached the times that the partition has reached
   */
  public synchronized boolean isAwaited(VectorClock recorded, VectorClock reached) {
    VectorClock awaited = current(awaitedHere).join(current(elsewhere));
    return !awaited.meet(reached).isAtOrBefore(recorded);
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
  public synchronized void recordProgress(Iterable<PartitionProgress> some, int partitions) {
    some.forEach(this::record);
    if (byPartition.size() == partitions) {
      VectorClock times = null;
      for (PartitionProgress one : byPartition.values()) {
        times = times == null ? one.times() : times.meet(one.times());
      }
      if (times != null) {
        advance(new ClusterProgress(times, times.meet(last)));
      }
    }
  }

  /** Records the vector of a snapshot of any node: all partitions are complete up to it. */
  public synchronized void recordSnapshot(VectorClock vector) {
    advance(new ClusterProgress(vector, vector));
  }

  private void record(PartitionProgress newest) {
    last = last.join(newest.transactions());
    byPartition.merge(
        newest.partition(),
        newest,
        (known, other) ->
            new PartitionProgress(
                known.partition(),
                known.times().join(other.times()),
                known.transactions().join(other.transactions())));
  }

  private void advance(ClusterProgress newest) {
    shared = shared.join(newest);
    long nowNanos = nanoTime.getAsLong();
    if (history.isEmpty() || nowNanos - history.getLast().atNanos >= STEP.toNanos()) {
      history.addLast(new HistoryEntry(nowNanos, shared.transactions()));
      if (history.size() > MAX_STEPS) {
        history.removeFirst();
      }
    }
  }

  /**
   * The transactions of the stable vector a while ago, as far as this node knew it. A transaction
   * that began since then has read them, if its node knew as much.
   */
  public synchronized VectorClock transactionsBefore(Duration age) {
    long latestNanos = nanoTime.getAsLong() - age.toNanos();
    VectorClock found = VectorClock.ZERO;
    for (HistoryEntry one : history) {
      if (one.atNanos - latestNanos > 0) {
        break;
      }
      found = one.transactions;
    }
    return found;
  }
}
