package io.github.stablecut.testing.history;

import io.github.stablecut.testing.history.History.Node;
import io.github.stablecut.testing.history.RecordedTransaction.Outcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Checks a history of transactions for causal consistency, from the history alone. Used once.
 *
 * <ul>
 *   <li>valid: every value read was written by a transaction that did not fail, had begun, and did
 *       not overwrite it before it ended
 *   <li>repeatable: a transaction reads the same value again, and its own writes
 *   <li>causally closed: it sees everything that precedes what it sees, and everything that
 *       precedes it in its session; so it sees another transaction entirely or not at all
 *   <li>up to date, if requested, and for final transactions: it sees everything acknowledged
 *       before it began
 *   <li>convergent: final transactions read the same values
 * </ul>
 *
 * <p>For counters only bounds are known: the sum of what must have been seen, and of what may have
 * been seen.
 */
public final class CausalCheck {
  private final History history;
  private final boolean isUpToDate;
  private final LineWrites.WriteIndex registers = new LineWrites.WriteIndex();
  private final SetReads sets;
  private final Map<String, CounterBounds> counters = new HashMap<>();
  private final FinalReads finals = new FinalReads();

  private CausalCheck(Collection<RecordedTransaction> transactions, boolean isUpToDate) {
    this.history = new History(transactions);
    this.sets = new SetReads(history);
    this.isUpToDate = isUpToDate;
    for (Node node : history.nodes()) {
      node.transaction.operations().forEach(operation -> addWrite(node, operation));
    }
    transactions.stream()
        .filter(transaction -> transaction.outcome() != Outcome.FAIL)
        .forEach(this::addPossible);
  }

  /**
   * Returns the violations of a history; empty if it is valid.
   *
   * @param transactions in an order that keeps the order of each session
   * @param isUpToDate whether each must see everything acknowledged before it began, as in one data
   *     centre on one node
   * @throws IllegalArgumentException if the history can't be checked: a value was written twice, or
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
    if (operation instanceof RecordedOperation.RegisterWrite) {
      registers.add(node, operation);
    }
    sets.add(node, operation);
  }

  private void addPossible(RecordedTransaction transaction) {
    for (RecordedOperation operation : transaction.operations()) {
      if (operation instanceof RecordedOperation.CounterIncrement increment) {
        counters
            .computeIfAbsent(increment.key(), key -> new CounterBounds())
            .add(transaction, increment.by());
      }
      sets.mayHave(transaction, operation);
    }
  }

  /** Checks one transaction's reads, in order. */
  private void check(Node node) {
    boolean isFinal = node.transaction.isFinal();
    Reader reader = Reader.of(node, history, isUpToDate || isFinal);
    Map<String, RecordedOperation> read = new HashMap<>();
    Map<String, List<RecordedOperation>> own = new HashMap<>();
    for (RecordedOperation operation : node.transaction.operations()) {
      List<RecordedOperation> ownOperations =
          own.computeIfAbsent(operation.key(), key -> new ArrayList<>());
      if (operation instanceof RecordedOperation.RegisterRead now) {
        check(reader, now, ownOperations);
      } else if (operation instanceof RecordedOperation.SetRead now) {
        sets.check(reader, now, ownOperations);
      } else if (operation instanceof RecordedOperation.CounterRead now) {
        check(reader, now, ownOperations);
      } else {
        ownOperations.add(operation);
        read.remove(operation.key());
        continue;
      }
      RecordedOperation before = read.put(operation.key(), operation);
      if (before != null && !before.equals(operation)) {
        history.violation(node, "is not repeatable: reads %s after %s", operation, before);
      }
      if (isFinal) {
        finals
            .differing(node.transaction, operation)
            .ifPresent(how -> history.violation(node, "%s", how));
      }
    }
  }

  private void check(
      Reader reader, RecordedOperation.RegisterRead read, List<RecordedOperation> own) {
    Node node = reader.node();
    if (!own.isEmpty()) {
      RecordedOperation last = own.get(own.size() - 1);
      if (!last.equals(new RecordedOperation.RegisterWrite(read.key(), read.value().orElse("")))) {
        history.violation(node, "does not see its own write: %s after %s", read, last);
      }
      return;
    }
    Node writer = read.value().map(value -> history.writer(read.key(), value)).orElse(null);
    if (writer == node) {
      history.violation(node, "reads what it writes later: %s", read);
      return;
    }
    if (writer != null && !lastOf(writer, read.key()).equals(read.value())) {
      history.violation(
          node, "reads what %s overwrote before it ended: %s", writer.transaction.id(), read);
    }
    registers
        .of(read.key())
        .forEach(
            (line, ofLine) -> {
              int seen = ofLine.within(reader.required(line));
              if (seen > 0) {
                Node newer = ofLine.writer(seen - 1);
                if (newer != writer && newer != node && isReplaced(writer, newer)) {
                  history.violation(node, "%s", reader.missed(newer, read));
                }
              }
            });
  }

  /** The value that a transaction leaves in a register. */
  private static Optional<String> lastOf(Node writer, String key) {
    Optional<String> last = Optional.empty();
    for (RecordedOperation operation : writer.transaction.operations()) {
      if (operation instanceof RecordedOperation.RegisterWrite write && write.key().equals(key)) {
        last = Optional.of(write.value());
      }
    }
    return last;
  }

  /** Whether a register's old value must have been replaced by the newer one. */
  private boolean isReplaced(@Nullable Node old, Node newer) {
    return old == null
        || newer.comesAfter(old)
        || (isUpToDate
            && old.transaction.outcome() == Outcome.OK
            && old.transaction.end() < newer.transaction.start());
  }

  private void check(
      Reader reader, RecordedOperation.CounterRead read, List<RecordedOperation> own) {
    long ownSum = 0;
    for (RecordedOperation operation : own) {
      if (operation instanceof RecordedOperation.CounterIncrement increment) {
        ownSum += increment.by();
      }
    }
    Optional<String> wrong =
        counters
            .getOrDefault(read.key(), new CounterBounds())
            .violation(
                read.value() - ownSum,
                reader.node().transaction,
                other -> isRequired(other, reader));
    wrong.ifPresent(how -> history.violation(reader.node(), "reads %s, %s", read, how));
  }

  private boolean isRequired(RecordedTransaction other, Reader reader) {
    Node node = history.node(other);
    return node != null && reader.mustHaveSeen(node);
  }
}
