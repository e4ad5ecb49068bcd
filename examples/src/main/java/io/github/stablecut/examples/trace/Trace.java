package io.github.stablecut.examples.trace;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A recorded editing session.
 *
 * @param agents how many authors there are
 * @param transactions each after its parents
 * @param endContent what the authors ended with
 */
public record Trace(int agents, List<Transaction> transactions, String endContent) {
  /** Copies the list. */
  public Trace {
    transactions = List.copyOf(transactions);
  }

  /**
   * What one author did at once.
   *
   * @param agent the author, from 0
   * @param parents the transactions whose outcome, merged, the author saw; none for the empty text
   * @param epochMillis when
   * @param patches executed in order
   */
  public record Transaction(
      int agent, List<Integer> parents, long epochMillis, List<Patch> patches) {
    /** Copies the lists. */
    public Transaction {
      parents = List.copyOf(parents);
      patches = List.copyOf(patches);
    }
  }

  /**
   * One edit.
   *
   * @param position how many code points stay to its left
   * @param deleted how many code points go
   * @param inserted what comes in their place
   */
  public record Patch(int position, int deleted, String inserted) {
    /** What makes one text of another, from the first character that differs to the last. */
    public static Patch between(String before, String after) {
      int[] old = before.codePoints().toArray();
      int[] now = after.codePoints().toArray();
      int shorter = Math.min(old.length, now.length);
      int from = Arrays.mismatch(old, now);
      from = from < 0 ? shorter : from;
      int rest = 0;
      while (rest < shorter - from && old[old.length - 1 - rest] == now[now.length - 1 - rest]) {
        rest++;
      }
      String inserted = new String(now, from, now.length - rest - from);
      return new Patch(from, old.length - rest - from, inserted);
    }
  }

  /**
   * The same as one author would have done it: what somebody sees who receives the transactions of
   * all, in their order.
   *
   * @throws TraceException if an author has edited what is not there
   */
  public Trace ofOneAuthor() {
    return isSequential() ? this : ConcurrentReplay.merged(this);
  }

  /** Whether there is one author, whose transactions each follow the one before. */
  boolean isSequential() {
    return agents == 1
        && IntStream.range(0, transactions.size())
            .allMatch(i -> transactions.get(i).parents.equals(i == 0 ? List.of() : List.of(i - 1)));
  }

  /** How many edits there are. */
  int edits() {
    return transactions.stream().mapToInt(transaction -> transaction.patches.size()).sum();
  }
}
