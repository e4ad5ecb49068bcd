package io.github.stablecut.examples.trace;

import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.examples.trace.Replica.Commit;
import io.github.stablecut.examples.trace.Trace.Patch;
import io.github.stablecut.examples.trace.Trace.Transaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Replays a trace of several authors, each on a separate replica. Before a replica executes a
 * transaction, it receives exactly those transactions of the others that the author had seen.
 * Confined to one thread.
 */
final class ConcurrentReplay {
  private final Trace trace;
  private final List<Replica> replicas;

  /** For each agent, the indexes of its transactions. */
  private final List<List<Integer>> made;

  /** For each agent, the number of transactions of each agent that its replica has. */
  private final int[][] held;

  /** For each transaction, the state of {@link #held} of its replica after it. */
  private final List<int[]> histories = new ArrayList<>();

  private final List<Commit> commits = new ArrayList<>();

  private ConcurrentReplay(Trace trace) {
    int agents = trace.agents();
    this.trace = trace;
    this.replicas = IntStream.range(0, agents).mapToObj(Replica::new).toList();
    this.made = replicas.stream().<List<Integer>>map(replica -> new ArrayList<>()).toList();
    this.held = new int[agents][agents];
  }

  /**
   * Returns the replicas of all authors after they have received all transactions.
   *
   * @throws TraceException if an author had not seen everything that its replica has, or edited
   *     text that does not exist
   */
  static List<Replica> replay(Trace trace) {
    ConcurrentReplay replay = executed(trace);
    int[] everything = replay.made.stream().mapToInt(List::size).toArray();
    for (int agent = 0; agent < trace.agents(); agent++) {
      replay.receive(agent, everything);
    }
    return replay.replicas;
  }

  private static ConcurrentReplay executed(Trace trace) {
    ConcurrentReplay replay = new ConcurrentReplay(trace);
    for (int i = 0; i < trace.transactions().size(); i++) {
      replay.execute(i);
    }
    return replay;
  }

  /**
   * Returns the trace of a single author that is equivalent to receiving all transactions in the
   * trace's order: each transaction becomes one patch, from its first changed character to its
   * last.
   *
   * @throws TraceException as {@link #replay}
   */
  static Trace merged(Trace trace) {
    Replica reader = new Replica(trace.agents());
    String before = "";
    List<Transaction> transactions = new ArrayList<>();
    for (Commit commit : executed(trace).commits) {
      reader.receive(commit);
      String after = reader.text();
      int index = transactions.size();
      long epochMillis = trace.transactions().get(index).epochMillis();
      List<Integer> parents = index == 0 ? List.of() : List.of(index - 1);
      transactions.add(
          new Transaction(0, parents, epochMillis, List.of(Patch.between(before, after))));
      before = after;
    }
    return new Trace(1, transactions, trace.endContent());
  }

  private void execute(int index) {
    Transaction transaction = trace.transactions().get(index);
    int agent = transaction.agent();
    int[] history = new int[trace.agents()];
    for (int parent : transaction.parents()) {
      Arrays.setAll(history, i -> Math.max(history[i], histories.get(parent)[i]));
    }
    receive(agent, history);
    if (!Arrays.equals(held[agent], history)) {
      throw new TraceException(
          "txns[%d]: its parents lack something that agent %d had seen before"
              .formatted(index, agent));
    }
    try {
      Commit commit = replicas.get(agent).commit(transaction);
      replicas.get(agent).receive(commit);
      commits.add(commit);
    } catch (OperationRefusedException e) {
      throw new TraceException("txns[" + index + "]: " + e.getMessage(), e);
    }
    made.get(agent).add(index);
    held[agent][agent]++;
    histories.add(held[agent].clone());
  }

  /** Delivers to a replica what it lacks of a history, in a causal order. */
  private void receive(int agent, int[] history) {
    IntStream missing = IntStream.empty();
    for (int other = 0; other < history.length; other++) {
      int from = held[agent][other];
      if (from < history[other]) {
        List<Integer> indexes = made.get(other).subList(from, history[other]);
        missing = IntStream.concat(missing, indexes.stream().mapToInt(Integer::intValue));
        held[agent][other] = history[other];
      }
    }
    missing.sorted().forEach(index -> replicas.get(agent).receive(commits.get(index)));
  }
}
