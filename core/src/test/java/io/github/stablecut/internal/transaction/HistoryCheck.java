package io.github.stablecut.internal.transaction;

import io.github.stablecut.internal.transaction.SimulatedTransaction.LatestRead;
import io.github.stablecut.internal.transaction.SimulatedTransaction.Outcome;
import io.github.stablecut.internal.transaction.SimulatedTransaction.Read;
import io.github.stablecut.option.Certification;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Checks what clients did and saw, independently of the store: each transaction adds itself to the
 * sets of the objects that it writes, so a read shows exactly which transactions it saw.
 *
 * <ul>
 *   <li>durable: acknowledged transactions exist in the end, failed ones never did
 *   <li>atomic: a transaction exists on all its objects or on none, in the end and for each reader
 *   <li>exact: a reader sees the transactions with a commit vector at or below its snapshot and no
 *       others; so reads are repeatable and causally closed
 *   <li>in order: a commit time is above everything that its transaction has seen
 *   <li>exactly once: an object's counter equals the number of transactions in its set
 *   <li>concurrent: a reset removes what its transaction has seen, and nothing else
 *   <li>bounded: no transaction takes more from an object's bounded counter than there is, and its
 *       value is what was put there and not taken
 *   <li>issued: after a point was issued by a process, its commits have later times than that point
 *   <li>latest: a read of the latest state has everything acknowledged before
 *   <li>certified: no transaction wrote what another has certified, between its snapshot and its
 *       commit; if that takes two phases, no transaction that certifies too
 * </ul>
 */
final class HistoryCheck {
  private final Map<Integer, SimulatedTransaction> transactions = new TreeMap<>();

  /** The final contents of each object. */
  private final Map<Integer, Set<Integer>> last = new HashMap<>();

  private HistoryCheck(Collection<SimulatedTransaction> history, Collection<Read> last) {
    history.forEach(transaction -> transactions.put(transaction.number, transaction));
    last.forEach(read -> this.last.put(read.object(), read.seen()));
  }

  /**
   * The violation in a history; empty if there is none.
   *
   * @param latest the reads of latest states
   * @param last every object, read at the end
   */
  static Optional<String> violation(
      Collection<SimulatedTransaction> history,
      Collection<LatestRead> latest,
      Collection<Read> last) {
    HistoryCheck check = new HistoryCheck(history, last);
    return check
        .ends()
        .or(() -> check.counts(last))
        .or(check::issued)
        .or(() -> latest(latest))
        .or(check::reads)
        .or(check::order)
        .or(check::unknownOnes)
        .or(check::certified);
  }

  private Optional<String> ends() {
    for (SimulatedTransaction transaction : transactions.values()) {
      Set<Integer> on = new TreeSet<>();
      for (int object : transaction.writes) {
        if (last.getOrDefault(object, Set.of()).contains(transaction.number)) {
          on.add(object);
        }
      }
      boolean isAll = on.size() == transaction.writes.size();
      if (!isAll && !on.isEmpty()) {
        return Optional.of("not atomic: only on " + on + " is " + transaction);
      }
      if (transaction.outcome == Outcome.ACKNOWLEDGED && !isAll) {
        return Optional.of("not durable: " + transaction);
      }
      if (transaction.outcome == Outcome.FAILED && !on.isEmpty()) {
        return Optional.of("failed, and is there: " + transaction);
      }
    }
    return Optional.empty();
  }

  private Optional<String> counts(Collection<Read> reads) {
    for (Read read : reads) {
      if (read.counted() != read.seen().size()) {
        return Optional.of("not exactly once: " + read);
      }
      if (read.sinceResets() != sinceResets(read)) {
        return Optional.of(
            "not concurrent: since resets %d, not %s".formatted(sinceResets(read), read));
      }
      if (read.stock() != stock(read) || read.stock() < 0) {
        return Optional.of("not bounded: in stock %d, not %s".formatted(stock(read), read));
      }
    }
    return Optional.empty();
  }

  /** The number of an object's transactions that no reset has removed. */
  private long sinceResets(Read read) {
    Set<Integer> counted = new HashSet<>(read.seen());
    for (int number : read.seen()) {
      SimulatedTransaction seen = transactions.get(number);
      if (seen != null && seen.resets.containsKey(read.object())) {
        counted.remove(number);
        counted.removeAll(seen.resets.get(read.object()));
      }
    }
    return counted.size();
  }

  /** The stock that an object's transactions have added and not taken. */
  private long stock(Read read) {
    long stock = 0;
    for (int number : read.seen()) {
      SimulatedTransaction seen = transactions.get(number);
      stock += seen != null && seen.takes.contains(read.object()) ? -1 : 1;
    }
    return stock;
  }

  private Optional<String> issued() {
    return transactions.values().stream()
        .filter(one -> one.outcome == Outcome.ACKNOWLEDGED && !one.writes.isEmpty())
        .filter(one -> one.time <= one.issued)
        .findFirst()
        .map(one -> "at or below a point that was issued before: " + one);
  }

  private static Optional<String> latest(Collection<LatestRead> reads) {
    return reads.stream()
        .filter(read -> !read.seen().containsAll(read.acknowledged()))
        .findFirst()
        .map(read -> "not latest: " + read);
  }

  private boolean isCommitted(SimulatedTransaction transaction) {
    return transaction.writes.stream()
        .allMatch(object -> last.getOrDefault(object, Set.of()).contains(transaction.number));
  }

  private Optional<String> reads() {
    for (SimulatedTransaction reader : transactions.values()) {
      Optional<String> miscounted = counts(reader.reads);
      if (miscounted.isPresent()) {
        return miscounted;
      }
      for (Read read : reader.reads) {
        Set<Integer> expected = new HashSet<>(read.seen());
        for (SimulatedTransaction writer : transactions.values()) {
          if (writer.writes.contains(read.object()) && writer.outcome == Outcome.ACKNOWLEDGED) {
            if (writer.isVisibleAt(reader.snapshot)) {
              expected.add(writer.number);
            }
            if (!writer.mayBeVisibleAt(reader.snapshot)) {
              expected.remove(writer.number);
            }
          }
        }
        if (!expected.equals(read.seen())) {
          return Optional.of(
              "not exact: expected %s of object %d, by %s"
                  .formatted(expected, read.object(), reader));
        }
      }
    }
    return Optional.empty();
  }

  private Optional<String> order() {
    for (SimulatedTransaction later : transactions.values()) {
      if (later.outcome == Outcome.ACKNOWLEDGED && !later.writes.isEmpty()) {
        for (Read read : later.reads) {
          for (int number : read.seen()) {
            SimulatedTransaction earlier = transactions.get(number);
            if (earlier != null && earlier.time >= later.time) {
              return Optional.of("not in order: " + earlier + " was seen by " + later);
            }
          }
        }
      }
    }
    return Optional.empty();
  }

  /** A transaction with an unreported commit time must have a time that fits everything. */
  private Optional<String> unknownOnes() {
    for (SimulatedTransaction writer : transactions.values()) {
      if (writer.outcome != Outcome.UNKNOWN || writer.writes.isEmpty()) {
        continue;
      }
      long greatestWithout = 0;
      long leastWith = Long.MAX_VALUE;
      for (SimulatedTransaction reader : transactions.values()) {
        for (Read read : reader.reads) {
          if (read.seen().contains(writer.number)) {
            leastWith = Math.min(leastWith, reader.snapshotTime());
          } else if (writer.writes.contains(read.object())
              && writer.dependsOnNothingBut(reader.snapshot)) {
            greatestWithout = Math.max(greatestWithout, reader.snapshotTime());
          }
        }
      }
      boolean isSeen = leastWith < Long.MAX_VALUE;
      if (isSeen && (leastWith <= greatestWithout || !isCommitted(writer))) {
        return Optional.of(
            "seen at %d, not seen at %d, committed %s: %s"
                .formatted(leastWith, greatestWithout, isCommitted(writer), writer));
      }
    }
    return Optional.empty();
  }

  private Optional<String> certified() {
    for (SimulatedTransaction first : transactions.values()) {
      Set<Integer> certified = first.certified();
      if (certified.isEmpty() || first.outcome != Outcome.ACKNOWLEDGED) {
        continue;
      }
      // A prepared transaction excludes others that certify; others come before or after it.
      boolean isAtOnce =
          certified.stream().map(SimulatedObjects::partitionOf).distinct().count() == 1;
      for (SimulatedTransaction second : transactions.values()) {
        boolean isBetween = !second.mayBeVisibleAt(first.snapshot) && second.time < first.time;
        if (isBetween
            && (isAtOnce || second.certification != Certification.NONE)
            && second.outcome == Outcome.ACKNOWLEDGED
            && second.writes.stream().anyMatch(certified::contains)) {
          return Optional.of("not certified: " + second + " between the ends of " + first);
        }
      }
    }
    return Optional.empty();
  }
}
