package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Merges the commits of several partitions, of this data centre and of others, in the order of
 * commit times, which extends causality. A commit is held until every partition has reported all
 * commits that are visible at its commit vector. Then transactions over several partitions are
 * complete, and no earlier commit can follow. A commit of another data centre may be reported long
 * before its dependencies. It does not delay other commits and is released late, after later
 * commits. Confined to one thread at a time.
 *
 * <p>The commits released up to a point are those that a vector sees, the join of the commit
 * vectors, so a watch can resume after it. The exception are late commits. For example, data centre
 * 1 has committed B, which depends on A of data centre 0, and then C, which does not:
 *
 * <pre>
 *   commit vector     A (9,0)    B (9,4)    C (3,5)
 *   reported C, B, and later A
 *   released C A B
 *   seen              (3,5)      (9,5)      (9,5)
 *   token             (3,5)      (3,5)      (9,5)
 * </pre>
 *
 * <p>No vector sees C and A without B, so A carries the token of the previous commit.
 */
final class CommitMerger {
  private static final Comparator<CommittedWrites> ORDER =
      Comparator.comparingLong(CommittedWrites::time).thenComparingInt(CommittedWrites::dataCentre);

  private final LocalDataCentre local;
  private final VectorClock[] complete;
  private final Map<Id, CommittedWrites> held = new HashMap<>();

  /** The commits of {@link #held} as they were first reported. */
  private final BlockedTransactions blocked = new BlockedTransactions();

  private long heldSize;
  private long heldBytes;
  private long localTimeNeeded;

  /** All commits at or before it were released. */
  private VectorClock position;

  /** A transaction: commit times are unique in a data centre. */
  private record Id(int dataCentre, long time) {
    static Id of(CommittedWrites writes) {
      return new Id(writes.dataCentre(), writes.time());
    }
  }

  /**
   * @param from the point after which partitions report their commits
   */
  CommitMerger(LocalDataCentre local, int partitions, VectorClock from) {
    this.local = local;
    this.position = from;
    complete = new VectorClock[partitions];
    Arrays.fill(complete, from);
  }

  /**
   * Adds a partition's part of a transaction, in any order. Transactions that were already released
   * are ignored.
   */
  void add(CommittedWrites writes) {
    if (writes.at().isAtOrBefore(position)) {
      return;
    }
    Id id = Id.of(writes);
    CommittedWrites before = held.get(id);
    CommittedWrites after = before == null ? writes : before.with(writes);
    held.put(id, after);
    heldSize += size(after);
    heldBytes += after.bytes();
    localTimeNeeded = Math.max(localTimeNeeded, local.timeIn(writes.at()));
    if (before == null) {
      blocked.add(writes, position);
    } else {
      heldSize -= size(before);
      heldBytes -= before.bytes();
    }
  }

  /** The number of held commits plus their objects. */
  long heldSize() {
    return heldSize;
  }

  /** The total size of the held names and effects, in bytes. */
  long heldBytes() {
    return heldBytes;
  }

  /**
   * Whether the held bytes exceed a limit even without the largest commit, which alone may exceed
   * it.
   */
  boolean holdsMoreThan(long bytes) {
    return heldBytes > bytes && heldBytes - largest() > bytes;
  }

  private long largest() {
    return held.values().stream().mapToLong(CommittedWrites::bytes).max().orElse(0);
  }

  /** The number of held commits. */
  int heldCommits() {
    return held.size();
  }

  private static long size(CommittedWrites writes) {
    return 1L + writes.objects().size();
  }

  /** Records that a partition has reported all commits at or before a vector. */
  void complete(int partition, VectorClock at) {
    complete[partition] = complete[partition].join(at);
  }

  /**
   * Records that all partitions have reported all commits at or before a vector, and discards what
   * they have reported beyond it.
   *
   * @param at at or after {@link #position}
   */
  void completeAll(VectorClock at) {
    Arrays.fill(complete, at);
  }

  /** The vector up to which all partitions have reported all commits. */
  VectorClock complete() {
    VectorClock all = complete[0];
    for (VectorClock one : complete) {
      all = all.meet(one);
    }
    return all;
  }

  /** The vector up to which all commits were released. */
  VectorClock position() {
    return position;
  }

  /**
   * Returns the partition whose reported time of this data centre is least.
   *
   * @param others the partitions to ignore; not all of them
   */
  int slowest(BitSet others) {
    int slowest = others.nextClearBit(0);
    for (int partition = slowest + 1; partition < complete.length; partition++) {
      if (!others.get(partition)
          && local.timeIn(complete[partition]) < local.timeIn(complete[slowest])) {
        slowest = partition;
      }
    }
    return slowest;
  }

  /** Removes and returns the commits that need not be held any longer, in order. */
  List<OrderedCommit> release() {
    VectorClock bound = complete();
    List<CommittedWrites> unblocked = new ArrayList<>();
    for (CommittedWrites first : blocked.take(bound)) {
      CommittedWrites whole = held.remove(Id.of(first));
      if (whole != null) {
        heldSize -= size(whole);
        heldBytes -= whole.bytes();
        unblocked.add(whole);
      }
    }
    unblocked.sort(ORDER);
    List<OrderedCommit> released = inOrder(unblocked);
    position = bound;
    return released;
  }

  /**
   * Orders commits. A late commit is released as soon as the released vector includes it, because
   * no later vector excludes it.
   */
  private List<OrderedCommit> inOrder(List<CommittedWrites> unblocked) {
    List<OrderedCommit> ordered = new ArrayList<>(unblocked.size());
    Map<Id, CommittedWrites> late = new HashMap<>();
    BlockedTransactions unseen = new BlockedTransactions();
    for (CommittedWrites writes : unblocked) {
      if (writes.time() <= position.get(writes.dataCentre())) {
        late.put(Id.of(writes), writes);
        unseen.add(writes, position);
      }
    }
    VectorClock seen = position;
    for (CommittedWrites next : unblocked) {
      boolean isLate = next.time() <= position.get(next.dataCentre());
      if (isLate && late.remove(Id.of(next)) == null) {
        continue;
      }
      VectorClock before = seen;
      seen = seen.join(next.at());
      List<CommittedWrites> together = new ArrayList<>();
      together.add(next);
      for (CommittedWrites other : unseen.take(seen)) {
        if (late.remove(Id.of(other)) != null) {
          together.add(other);
        }
      }
      together.sort(ORDER);
      addTogether(together, before, seen, ordered);
    }
    return ordered;
  }

  /** Adds commits of which no vector sees one without the others. */
  private static void addTogether(
      List<CommittedWrites> together,
      VectorClock before,
      VectorClock seen,
      List<OrderedCommit> ordered) {
    for (int i = 0; i < together.size(); i++) {
      boolean isNewest = i == together.size() - 1;
      ordered.add(new OrderedCommit(together.get(i), seen, isNewest ? seen : before));
    }
  }

  /**
   * A time at or after this data centre's times that the held commits depend on. Idle partitions
   * can advance to it, unlike to times of other data centres.
   */
  long localTimeNeeded() {
    return localTimeNeeded;
  }
}
