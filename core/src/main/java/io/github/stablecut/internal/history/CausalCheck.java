package io.github.stablecut.internal.history;

import io.github.stablecut.internal.history.History.Node;
import io.github.stablecut.internal.history.RecordedTransaction.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Judges a history of transactions by what follows from it alone. Used once.
 *
 * <ul>
 *   <li>what is read was written, by somebody who did not fail, had begun, and left it so
 *   <li>repeatable: a transaction reads the same again, and what it has written itself
 *   <li>causally closed: it sees all that came before what it has seen, and before itself in its
 *       session; so it sees all of a transaction or nothing
 *   <li>up to date, if asked for: it sees all that was acknowledged before it began
 * </ul>
 *
 * <p>Of counters only bounds can be told: at least what must have been seen, at most what may have.
 */
public final class CausalCheck {
  /** What a transaction must have seen of an object, by one line of work, in its order. */
  private record Writes(List<Node> writers, List<RecordedOperation> operations) {}

  private final History history;
  private final boolean isUpToDate;
  private final Map<String, Map<Integer, Writes>> writes = new HashMap<>();
  private final Map<String, CounterBounds> counters = new HashMap<>();

  private CausalCheck(Collection<RecordedTransaction> transactions, boolean isUpToDate) {
    this.history = new History(transactions);
    this.isUpToDate = isUpToDate;
    for (Node node : history.nodes()) {
      node.transaction.operations().forEach(operation -> addWrite(node, operation));
    }
    transactions.stream()
        .filter(transaction -> transaction.outcome() != Outcome.FAIL)
        .forEach(this::addIncrements);
  }

  /**
   * What is wrong with a history; empty if nothing is.
   *
   * @param transactions in an order in which those of each session follow each other
   * @param isUpToDate whether each has to see all that was acknowledged before it began, as those
   *     of one data centre do
   * @throws IllegalArgumentException if the history can't be judged: a value was written twice, or
   *     transactions of a session overlap
   */
  public static List<String> violations(
      Collection<RecordedTransaction> transactions, boolean isUpToDate) {
    CausalCheck check = new CausalCheck(transactions, isUpToDate);
    if (check.history.violations().isEmpty()) {
      check.history.nodes().forEach(check::check);
    }
    return check.history.violations();
  }

  private void addWrite(Node node, RecordedOperation operation) {
    if (operation instanceof RecordedOperation.RegisterWrite
        || operation instanceof RecordedOperation.SetAdd) {
      Writes ofLine =
          writes
              .computeIfAbsent(operation.key(), key -> new HashMap<>())
              .computeIfAbsent(node.line, line -> new Writes(new ArrayList<>(), new ArrayList<>()));
      ofLine.writers.add(node);
      ofLine.operations.add(operation);
    }
  }

  private void addIncrements(RecordedTransaction transaction) {
    for (RecordedOperation operation : transaction.operations()) {
      if (operation instanceof RecordedOperation.CounterIncrement increment) {
        counters
            .computeIfAbsent(increment.key(), key -> new CounterBounds())
            .add(transaction, increment.by());
      }
    }
  }

  /** For each line of work how many transactions one must have seen. */
  private int[] required(Node reader) {
    int[] required = reader.past.clone();
    if (isUpToDate) {
      for (int line = 0; line < required.length; line++) {
        required[line] = Math.max(required[line], endedBefore(line, reader.transaction.start()));
      }
    }
    return required;
  }

  private int endedBefore(int line, long time) {
    List<Node> nodes = history.lines().get(line);
    int low = 0;
    int high = nodes.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      RecordedTransaction transaction = nodes.get(middle).transaction;
      if (transaction.outcome() == Outcome.OK && transaction.end() < time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** One transaction's reads, as they follow each other. */
  private void check(Node reader) {
    int[] required = required(reader);
    Map<String, RecordedOperation> read = new HashMap<>();
    Map<String, List<RecordedOperation>> own = new HashMap<>();
    for (RecordedOperation operation : reader.transaction.operations()) {
      List<RecordedOperation> mine = own.computeIfAbsent(operation.key(), key -> new ArrayList<>());
      if (operation instanceof RecordedOperation.RegisterRead now) {
        check(reader, required, now, mine);
      } else if (operation instanceof RecordedOperation.SetRead now) {
        check(reader, required, now, mine);
      } else if (operation instanceof RecordedOperation.CounterRead now) {
        check(reader, required, now, mine);
      } else {
        mine.add(operation);
        var unused = read.remove(operation.key());
        continue;
      }
      RecordedOperation before = read.put(operation.key(), operation);
      if (before != null && !before.equals(operation)) {
        history.violation(reader, "is not repeatable: reads %s after %s", operation, before);
      }
    }
  }

  private void check(
      Node reader,
      int[] required,
      RecordedOperation.RegisterRead read,
      List<RecordedOperation> own) {
    if (!own.isEmpty()) {
      RecordedOperation last = own.get(own.size() - 1);
      if (!last.equals(new RecordedOperation.RegisterWrite(read.key(), read.value().orElse("")))) {
        history.violation(reader, "does not see its own write: %s after %s", read, last);
      }
      return;
    }
    Node writer = read.value().map(value -> history.writer(read.key(), value)).orElse(null);
    if (writer == reader) {
      history.violation(reader, "reads what it writes later: %s", read);
      return;
    }
    if (writer != null && !lastOf(writer, read.key()).equals(read.value())) {
      history.violation(
          reader, "reads what %s overwrote before it ended: %s", writer.transaction.id(), read);
    }
    writes
        .getOrDefault(read.key(), Map.of())
        .forEach(
            (line, ofLine) -> {
              int seen = seenOf(ofLine, required[line]);
              if (seen > 0) {
                Node newer = ofLine.writers.get(seen - 1);
                if (newer != writer && newer != reader && isReplaced(writer, newer)) {
                  missed(reader, newer, read);
                }
              }
            });
  }

  /** What a transaction leaves in a register. */
  private static Optional<String> lastOf(Node writer, String key) {
    Optional<String> last = Optional.empty();
    for (RecordedOperation operation : writer.transaction.operations()) {
      if (operation instanceof RecordedOperation.RegisterWrite write && write.key().equals(key)) {
        last = Optional.of(write.value());
      }
    }
    return last;
  }

  /** How many of a line's writers are among its first transactions. */
  private static int seenOf(Writes ofLine, int required) {
    int low = 0;
    int high = ofLine.writers.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ofLine.writers.get(middle).place < required) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Whether a register's value must have given way to another. */
  private boolean isReplaced(@Nullable Node old, Node newer) {
    return old == null
        || newer.comesAfter(old)
        || (isUpToDate
            && old.transaction.outcome() == Outcome.OK
            && old.transaction.end() < newer.transaction.start());
  }

  private void check(
      Node reader, int[] required, RecordedOperation.SetRead read, List<RecordedOperation> own) {
    Set<String> values = read.values();
    for (RecordedOperation operation : own) {
      if (operation instanceof RecordedOperation.SetAdd add && !values.contains(add.value())) {
        history.violation(reader, "does not see its own write: %s after %s", read, add);
      }
    }
    writes
        .getOrDefault(read.key(), Map.of())
        .forEach(
            (line, ofLine) -> {
              for (int i = seenOf(ofLine, required[line]) - 1; i >= 0; i--) {
                Node writer = ofLine.writers.get(i);
                if (ofLine.operations.get(i) instanceof RecordedOperation.SetAdd add
                    && !values.contains(add.value())
                    && writer != reader) {
                  missed(reader, writer, read);
                  return;
                }
              }
            });
    notYetWritten(reader, read, own);
  }

  /** What a transaction writes later it can't have read before. */
  private void notYetWritten(
      Node reader, RecordedOperation.SetRead read, List<RecordedOperation> own) {
    Set<String> mine = new HashSet<>();
    for (RecordedOperation operation : own) {
      if (operation instanceof RecordedOperation.SetAdd add) {
        boolean unused = mine.add(add.value());
      }
    }
    for (String value : read.values()) {
      if (history.writer(read.key(), value) == reader && !mine.contains(value)) {
        history.violation(reader, "reads %s of %s before it writes it", value, read.key());
      }
    }
  }

  private void check(
      Node reader,
      int[] required,
      RecordedOperation.CounterRead read,
      List<RecordedOperation> own) {
    long mine = 0;
    for (RecordedOperation operation : own) {
      if (operation instanceof RecordedOperation.CounterIncrement increment) {
        mine += increment.by();
      }
    }
    Optional<String> wrong =
        counters
            .getOrDefault(read.key(), new CounterBounds())
            .violation(
                read.value() - mine,
                reader.transaction,
                other -> isRequired(other, reader, required));
    wrong.ifPresent(how -> history.violation(reader, "reads %s, %s", read, how));
  }

  private boolean isRequired(RecordedTransaction other, Node reader, int[] required) {
    Node node = history.node(other);
    return node != null && node != reader && node.place < required[node.line];
  }

  private void missed(Node reader, Node writer, RecordedOperation read) {
    String how;
    if (writer.line == reader.line) {
      how = "misses what its own session has written before";
    } else if (reader.before.contains(writer)) {
      how = "sees only a part";
    } else if (reader.comesAfter(writer)) {
      how = "misses what came before something that it sees";
    } else {
      how = "misses what was acknowledged before it began";
    }
    history.violation(reader, "%s: %s lacks %s", how, read, writer.transaction.id());
  }
}
