package io.github.stablecut.testing.history;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.FormatMethod;
import io.github.stablecut.testing.history.RecordedTransaction.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A history with its causal order. A transaction must have seen what precedes it in its session,
 * and what any transaction it read from had seen. A transaction with an unknown outcome counts as
 * committed if another one read from it; it does not bind its session's later ones. Confined to one
 * thread.
 */
final class History {
  /** A committed transaction and its position. */
  static final class Node {
    final RecordedTransaction transaction;

    /** The line: a session, or a separate one for a transaction with an unknown outcome. */
    final int line;

    /** The position in the line, from 0. */
    final int place;

    /** The direct predecessors: in its session, and those it has read from. */
    final Set<Node> before = new HashSet<>();

    /** For each line, the number of transactions that it must have seen. */
    int[] past = new int[0];

    Node(RecordedTransaction transaction, int line, int place) {
      this.transaction = transaction;
      this.line = line;
      this.place = place;
    }

    boolean comesAfter(Node other) {
      return past[other.line] > other.place;
    }
  }

  private record WrittenValue(String key, String value) {}

  private final Map<WrittenValue, RecordedTransaction> writers = new HashMap<>();
  private final List<Node> nodes = new ArrayList<>();
  private final Map<String, Node> nodeOf = new HashMap<>();
  private final List<List<Node>> lines = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();

  History(Collection<RecordedTransaction> transactions) {
    for (RecordedTransaction transaction : transactions) {
      for (RecordedOperation operation : transaction.operations()) {
        written(operation).ifPresent(written -> addWriter(written, transaction));
      }
    }
    Set<String> seen = seen(transactions);
    Map<String, Integer> sessions = new HashMap<>();
    for (RecordedTransaction transaction : transactions) {
      if (transaction.outcome() == Outcome.OK) {
        addNode(transaction, sessions.computeIfAbsent(transaction.session(), name -> newLine()));
      } else if (seen.contains(transaction.id()) && transaction.outcome() == Outcome.UNKNOWN) {
        Node node = addNode(transaction, newLine());
        Integer line = sessions.get(transaction.session());
        if (line != null) {
          node.before.add(last(line));
        }
      }
    }
    nodes.forEach(this::addWriters);
    order();
  }

  private static Optional<WrittenValue> written(RecordedOperation operation) {
    if (operation instanceof RecordedOperation.RegisterWrite write) {
      return Optional.of(new WrittenValue(write.key(), write.value()));
    }
    return operation instanceof RecordedOperation.SetAdd add
        ? Optional.of(new WrittenValue(add.key(), add.value()))
        : Optional.empty();
  }

  private void addWriter(WrittenValue written, RecordedTransaction transaction) {
    RecordedTransaction other = writers.put(written, transaction);
    if (other != null) {
      throw new IllegalArgumentException(
          "%s is written by %s and %s: values must be unique"
              .formatted(written, other.id(), transaction.id()));
    }
  }

  /** The ids of transactions that a counted transaction has read from. */
  private Set<String> seen(Collection<RecordedTransaction> transactions) {
    Set<String> seen = new HashSet<>();
    Deque<RecordedTransaction> next = new ArrayDeque<>();
    transactions.stream().filter(any -> any.outcome() == Outcome.OK).forEach(next::add);
    while (!next.isEmpty()) {
      for (RecordedTransaction writer : readFrom(next.remove())) {
        if (seen.add(writer.id()) && writer.outcome() == Outcome.UNKNOWN) {
          next.add(writer);
        }
      }
    }
    return seen;
  }

  private List<RecordedTransaction> readFrom(RecordedTransaction reader) {
    List<RecordedTransaction> found = new ArrayList<>();
    for (RecordedOperation operation : reader.operations()) {
      for (String value : values(operation)) {
        RecordedTransaction writer = writers.get(new WrittenValue(operation.key(), value));
        if (writer != null && !writer.id().equals(reader.id())) {
          found.add(writer);
        }
      }
    }
    return found;
  }

  private static Collection<String> values(RecordedOperation operation) {
    if (operation instanceof RecordedOperation.RegisterRead read) {
      return read.value().map(List::of).orElse(List.of());
    }
    return operation instanceof RecordedOperation.SetRead read ? read.values() : List.of();
  }

  private int newLine() {
    lines.add(new ArrayList<>());
    return lines.size() - 1;
  }

  private Node last(int line) {
    return lines.get(line).get(lines.get(line).size() - 1);
  }

  @CanIgnoreReturnValue
  private Node addNode(RecordedTransaction transaction, int line) {
    List<Node> inLine = lines.get(line);
    Node node = new Node(transaction, line, inLine.size());
    if (!inLine.isEmpty()) {
      Node previous = last(line);
      node.before.add(previous);
      if (previous.transaction.end() > transaction.start()) {
        throw new IllegalArgumentException(
            "%s began before %s of the same session ended"
                .formatted(transaction.id(), previous.transaction.id()));
      }
    }
    inLine.add(node);
    nodes.add(node);
    if (nodeOf.put(transaction.id(), node) != null) {
      throw new IllegalArgumentException(
          transaction.id() + " occurs twice: ids of transactions must be unique");
    }
    return node;
  }

  private void addWriters(Node reader) {
    for (RecordedOperation operation : reader.transaction.operations()) {
      for (String value : values(operation)) {
        RecordedTransaction writer = writers.get(new WrittenValue(operation.key(), value));
        if (writer == null) {
          violation(reader, "reads %s of %s, which no transaction wrote", value, operation.key());
        } else if (writer.outcome() == Outcome.FAIL) {
          violation(reader, "reads %s of %s, which failed", value, operation.key());
        } else if (writer.start() > reader.transaction.end()) {
          violation(reader, "reads %s of %s, which is written later", value, operation.key());
        } else if (!writer.id().equals(reader.transaction.id())) {
          reader.before.add(nodeOf(writer));
        }
      }
    }
  }

  private Node nodeOf(RecordedTransaction committed) {
    Node node = nodeOf.get(committed.id());
    if (node == null) {
      throw new IllegalStateException(committed.id() + " was read from and is not committed");
    }
    return node;
  }

  /** Computes what each transaction must have seen, in topological order. */
  private void order() {
    Map<Node, Integer> waiting = new HashMap<>();
    Map<Node, List<Node>> after = new HashMap<>();
    Deque<Node> ready = new ArrayDeque<>();
    for (Node node : nodes) {
      node.before.forEach(one -> after.computeIfAbsent(one, key -> new ArrayList<>()).add(node));
      waiting.put(node, node.before.size());
      if (node.before.isEmpty()) {
        ready.add(node);
      }
    }
    int ordered = 0;
    while (!ready.isEmpty()) {
      Node node = ready.remove();
      node.past = past(node);
      ordered++;
      for (Node next : after.getOrDefault(node, List.of())) {
        if (waiting.merge(next, -1, Integer::sum) == 0) {
          ready.add(next);
        }
      }
    }
    if (ordered < nodes.size()) {
      violations.add("some transactions have seen each other: " + inCircle(waiting));
    }
  }

  private int[] past(Node node) {
    int[] past = new int[lines.size()];
    for (Node one : node.before) {
      for (int line = 0; line < past.length; line++) {
        past[line] = Math.max(past[line], one.past[line]);
      }
      past[one.line] = Math.max(past[one.line], one.place + 1);
    }
    return past;
  }

  private static List<String> inCircle(Map<Node, Integer> waiting) {
    return waiting.entrySet().stream()
        .filter(node -> node.getValue() > 0)
        .map(node -> node.getKey().transaction.id())
        .sorted()
        .limit(10)
        .toList();
  }

  @FormatMethod
  void violation(Node node, String format, Object... facts) {
    violations.add(node.transaction.id() + " " + format.formatted(facts));
  }

  /** The violations found so far. */
  List<String> violations() {
    return violations;
  }

  List<Node> nodes() {
    return nodes;
  }

  List<List<Node>> lines() {
    return lines;
  }

  /** The node of a transaction, if it is committed. */
  @Nullable Node node(RecordedTransaction transaction) {
    return nodeOf.get(transaction.id());
  }

  /** The transaction that wrote a value. */
  @Nullable Node writer(String key, String value) {
    RecordedTransaction writer = writers.get(new WrittenValue(key, value));
    return writer == null ? null : nodeOf.get(writer.id());
  }
}
