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
 * Joins the commits of several partitions, of this data centre and of others, to one order: that of
 * commit times, which extends causality. A commit is held until every partition has told all
 * commits that are visible where it is; then a transaction over several partitions is whole, and
 * nothing that is before it can come any more. One of another data centre may be told long before
 * what it depends on: it holds nobody up, and comes out late, behind what was committed after it.
 * Confined to one thread at a time.
 *
 * <p>What came out up to some point is what a vector sees, the join of the commit vectors, so that
 * one can go on after it; but for late ones. For example, data centre 1 has committed B, which
 * depends on A of data centre 0, and then C, which does not:
 *
 * <pre>
 *   commit vector     A (9,0)    B (9,4)    C (3,5)
 *   told by all       C, B, and later A
 *   comes out         C          A          B
 *   seen              (3,5)      (9,5)      (9,5)
 *   token             (3,5)      (3,5)      (9,5)
 * </pre>
 *
 * <p>No vector sees C and A and not B. So A comes with the token before it.
 */
final class CommitMerger {
  private static final Comparator<CommittedWrites> ORDER =
      Comparator.comparingLong(CommittedWrites::time).thenComparingInt(CommittedWrites::dataCentre);

  private final LocalDataCentre local;
  private final VectorClock[] complete;
  private final Map<Id, CommittedWrites> held = new HashMap<>();

  /** Those of {@link #held}, as they were told first. */
  private final BlockedTransactions blocked = new BlockedTransactions();

  private long heldSize;
  private long heldBytes;
  private long localTimeNeeded;

  /** Everything at or before it came out. */
  private VectorClock position;

  /** A transaction: commit times are unique in a data centre. */
  private record Id(int dataCentre, long time) {
    static Id of(CommittedWrites writes) {
      return new Id(writes.dataCentre(), writes.time());
    }
  }

  /**
   * @param from the point after which partitions tell their commits
   */
  CommitMerger(LocalDataCentre local, int partitions, VectorClock from) {
    this.local = local;
    this.position = from;
    complete = new VectorClock[partitions];
    Arrays.fill(complete, from);
  }

  /**
   * Takes what a partition has of a transaction, in any order. What came out already is left out.
   */
  void add(CommittedWrites writes) {
    if (writes.at().isAtOrBefore(position)) {
      return;
    }
    Id id = Id.of(writes);
    CommittedWrites before = held.get(id);
    CommittedWrites after = before == null ? writes : before.with(writes);
    var unused = held.put(id, after);
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

  /** How much is held: the commits and their objects. */
  long heldSize() {
    return heldSize;
  }

  /** How many bytes the names and effects have that are held. */
  long heldBytes() {
    return heldBytes;
  }

  /** Whether more bytes than so many are held beside the largest commit, which may be as large. */
  boolean holdsMoreThan(long bytes) {
    return heldBytes > bytes && heldBytes - largest() > bytes;
  }

  private long largest() {
    return held.values().stream().mapToLong(CommittedWrites::bytes).max().orElse(0);
  }

  /** How many commits are held. */
  int heldCommits() {
    return held.size();
  }

  private static long size(CommittedWrites writes) {
    return 1L + writes.objects().size();
  }

  /** Takes note that a partition has told everything at or before a vector. */
  void complete(int partition, VectorClock at) {
    complete[partition] = complete[partition].join(at);
  }

  /**
   * Takes note that all partitions have told everything at or before a vector, and whatever they
   * have told beyond it does not count any more.
   *
   * @param at at or after {@link #position}
   */
  void completeAll(VectorClock at) {
    Arrays.fill(complete, at);
  }

  /** Everything at or before it was told by all. */
  VectorClock complete() {
    VectorClock all = complete[0];
    for (VectorClock one : complete) {
      all = all.meet(one);
    }
    return all;
  }

  /** Everything at or before it came out. */
  VectorClock position() {
    return position;
  }

  /**
   * The partition that has told least of this data centre.
   *
   * @param others which partitions don't count; not all of them
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

  /** Takes out what is held no longer, in order. */
  List<OrderedCommit> release() {
    VectorClock bound = complete();
    List<CommittedWrites> free = new ArrayList<>();
    for (CommittedWrites first : blocked.take(bound)) {
      CommittedWrites whole = held.remove(Id.of(first));
      if (whole != null) {
        heldSize -= size(whole);
        heldBytes -= whole.bytes();
        free.add(whole);
      }
    }
    free.sort(ORDER);
    List<OrderedCommit> released = inOrder(free);
    position = bound;
    return released;
  }

  /** Tells late ones as soon as they are seen, as nothing can be told without them any more. */
  private List<OrderedCommit> inOrder(List<CommittedWrites> free) {
    List<OrderedCommit> told = new ArrayList<>(free.size());
    Map<Id, CommittedWrites> late = new HashMap<>();
    BlockedTransactions unseen = new BlockedTransactions();
    for (CommittedWrites writes : free) {
      if (writes.time() <= position.get(writes.dataCentre())) {
        var unused = late.put(Id.of(writes), writes);
        unseen.add(writes, position);
      }
    }
    VectorClock seen = position;
    for (CommittedWrites next : free) {
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
      addTogether(together, before, seen, told);
    }
    return told;
  }

  /** No vector sees one of them without all. */
  private static void addTogether(
      List<CommittedWrites> together,
      VectorClock before,
      VectorClock seen,
      List<OrderedCommit> told) {
    for (int i = 0; i < together.size(); i++) {
      boolean isLast = i == together.size() - 1;
      told.add(new OrderedCommit(together.get(i), seen, isLast ? seen : before));
    }
  }

  /**
   * At or after the times of this data centre that what is held depends on: partitions can move on
   * to it, other than to what other data centres have to tell.
   */
  long localTimeNeeded() {
    return localTimeNeeded;
  }
}
