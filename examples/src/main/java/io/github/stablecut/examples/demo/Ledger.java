package io.github.stablecut.examples.demo;

import io.github.stablecut.Store;
import io.github.stablecut.Values;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** All acknowledgements so far, and the check that a store has them. Confined to one thread. */
final class Ledger {
  private final int writers;
  private final Map<Integer, Set<Long>> acknowledged = new HashMap<>();

  /**
   * The result of checking a store.
   *
   * @param acknowledged the number of acknowledged transactions
   * @param recovered the number of those that the store has
   * @param others the number of further transactions, committed but not acknowledged before the
   *     kill
   * @param faults what is wrong; empty if the store is correct
   */
  record Findings(long acknowledged, long recovered, long others, List<String> faults) {}

  /**
   * Creates an empty ledger.
   *
   * @param writers the number of writers
   */
  Ledger(int writers) {
    this.writers = writers;
  }

  /** Records an acknowledgement. */
  void add(Acknowledgement acknowledgement) {
    acknowledged
        .computeIfAbsent(acknowledgement.writer(), writer -> new TreeSet<>())
        .add(acknowledgement.number());
  }

  /** Searches a store for everything acknowledged. */
  Findings check(Store store) {
    long acknowledgedCount = 0;
    long recovered = 0;
    long others = 0;
    List<String> faults = new ArrayList<>();
    for (WrittenObjects objects : WrittenObjects.ofAll(writers)) {
      Values values = store.read(List.of(objects.left(), objects.right(), objects.done()));
      Set<String> done = values.get(objects.done());
      checkWhole(objects, values, faults);
      long found = 0;
      for (long number : acknowledged.getOrDefault(objects.writer(), Set.of())) {
        acknowledgedCount++;
        if (done.contains("" + number)) {
          found++;
        } else {
          faults.add(
              "writer %d: transaction %,d was acknowledged and is lost"
                  .formatted(objects.writer(), number));
        }
      }
      recovered += found;
      others += done.size() - found;
    }
    return new Findings(acknowledgedCount, recovered, others, faults);
  }

  /** Checks that each transaction counts once in each counter and is once in the set. */
  private static void checkWhole(WrittenObjects objects, Values values, List<String> faults) {
    long left = values.get(objects.left());
    long right = values.get(objects.right());
    int done = values.get(objects.done()).size();
    if (left != right || left != done) {
      faults.add(
          "writer %d: its counters are %,d and %,d and its set holds %,d: a transaction is torn or counted twice"
              .formatted(objects.writer(), left, right, done));
    }
  }
}
