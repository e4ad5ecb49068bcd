package io.github.stablecut.examples.trace;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A recorded editing session.
 *
 * @param agents the number of authors
 * @param transactions each after its parents
 * @param endContent the final text
 */
public record Trace(int agents, List<Transaction> transactions, String endContent) {
  /** Copies the list. */
  public Trace {
    transactions = List.copyOf(transactions);
  }

  /**
   * Edits that one author made at once.
   *
   * @param agent the author, from 0
   * @param parents the transactions whose merged result the author saw; none for the empty text
   * @param epochMillis the time
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
   * @param position the number of code points before it
   * @param deleted the number of deleted code points
   * @param inserted the text that replaces them
   */
  public record Patch(int position, int deleted, String inserted) {
    /** The patch between two texts, from the first character that differs to the last. */
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
   * The equivalent trace of one author: the text as seen by a reader who receives the transactions
   * of all authors in their order.
   *
   * @throws TraceException if an author has edited text that does not exist
   */
  public Trace ofOneAuthor() {
    return isSequential() ? this : ConcurrentReplay.merged(this);
  }

  /** Whether there is one author, whose transactions form a sequence. */
  boolean isSequential() {
    return agents == 1
        && IntStream.range(0, transactions.size())
            .allMatch(i -> transactions.get(i).parents.equals(i == 0 ? List.of() : List.of(i - 1)));
  }

  /** The number of edits. */
  int edits() {
    return transactions.stream().mapToInt(transaction -> transaction.patches.size()).sum();
  }
}
