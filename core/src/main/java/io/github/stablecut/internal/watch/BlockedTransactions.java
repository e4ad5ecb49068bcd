package io.github.stablecut.internal.watch;

import io.github.stablecut.causality.VectorClock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Transactions that wait until a vector reaches theirs in all entries. Each waits for one entry at
 * a time, so that releasing transactions takes time proportional to their number. Confined to one
 * thread at a time.
 */
final class BlockedTransactions {
  private final List<PriorityQueue<CommittedWrites>> byEntry = new ArrayList<>();

  /**
   * Adds a transaction.
   *
   * @param reached the vector, which is not at or after the transaction's commit vector
   */
  void add(CommittedWrites writes, VectorClock reached) {
    int entry = 0;
    while (writes.at().get(entry) <= reached.get(entry)) {
      entry++;
    }
    while (byEntry.size() <= entry) {
      int waitsFor = byEntry.size();
      byEntry.add(new PriorityQueue<>(Comparator.comparingLong(held -> held.at().get(waitsFor))));
    }
    byEntry.get(entry).add(writes);
  }

  /**
   * Removes and returns the transactions whose commit vectors a vector has reached, in no
   * particular order.
   */
  List<CommittedWrites> take(VectorClock reached) {
    List<CommittedWrites> free = new ArrayList<>();
    for (int entry = 0; entry < byEntry.size(); entry++) {
      PriorityQueue<CommittedWrites> waiting = byEntry.get(entry);
      for (CommittedWrites first = waiting.peek();
          first != null && first.at().get(entry) <= reached.get(entry);
          first = waiting.peek()) {
        waiting.remove();
        if (first.at().isAtOrBefore(reached)) {
          free.add(first);
        } else {
          add(first, reached);
        }
      }
    }
    return free;
  }
}
