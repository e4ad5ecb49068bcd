package io.github.stablecut.testing.history;

import io.github.stablecut.testing.history.History.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks reads of sets. An addition wins over a removal that has not seen it; a removal that has
 * seen it removes the element permanently. Confined to one thread.
 */
final class SetReads {
  private record Element(String key, String value) {}

  private final History history;
  private final LineWrites.WriteIndex adds = new LineWrites.WriteIndex();

  /** The transactions that may have removed an element: all that did not fail. */
  private final Map<Element, List<RecordedTransaction>> removers = new HashMap<>();

  SetReads(History history) {
    this.history = history;
  }

  /** Records an addition of a committed transaction. */
  void add(Node writer, RecordedOperation operation) {
    if (operation instanceof RecordedOperation.SetAdd) {
      adds.add(writer, operation);
    }
  }

  /** Records a removal of a transaction that may be committed. */
  void mayHave(RecordedTransaction transaction, RecordedOperation operation) {
    if (operation instanceof RecordedOperation.SetRemove remove) {
      removers
          .computeIfAbsent(new Element(remove.key(), remove.value()), key -> new ArrayList<>())
          .add(transaction);
    }
  }

  /**
   * Checks a read.
   *
   * @param own the reader's own earlier writes to the set
   */
  void check(Reader reader, RecordedOperation.SetRead read, List<RecordedOperation> own) {
    Set<String> added = new HashSet<>();
    Set<String> removed = new HashSet<>();
    for (RecordedOperation operation : own) {
      if (operation instanceof RecordedOperation.SetAdd add) {
        added.add(add.value());
      } else if (operation instanceof RecordedOperation.SetRemove remove) {
        removed.add(remove.value());
      }
    }
    added.removeAll(removed);
    if (!read.values().containsAll(added) || !disjoint(read.values(), removed)) {
      history.violation(reader.node(), "does not see its own write: %s after %s", read, own);
    }
    missing(reader, read, removed);
    for (String value : read.values()) {
      present(reader, read, new Element(read.key(), value), added);
    }
  }

  private static boolean disjoint(Set<String> some, Set<String> others) {
    return others.stream().noneMatch(some::contains);
  }

  /** Checks that elements that must have been seen, and were not removed, are present. */
  private void missing(Reader reader, RecordedOperation.SetRead read, Set<String> removed) {
    adds.of(read.key())
        .forEach(
            (line, ofLine) -> {
              for (int i = ofLine.within(reader.required(line)) - 1; i >= 0; i--) {
                Node writer = ofLine.writer(i);
                if (ofLine.operation(i) instanceof RecordedOperation.SetAdd add
                    && !read.values().contains(add.value())
                    && !removed.contains(add.value())
                    && writer != reader.node()
                    && !mayBeRemoved(reader.node(), writer, new Element(add.key(), add.value()))) {
                  history.violation(reader.node(), "%s", reader.missed(writer, read));
                  return;
                }
              }
            });
  }

  private boolean mayBeRemoved(Node reader, Node adder, Element element) {
    for (RecordedTransaction remover : removers.getOrDefault(element, List.of())) {
      Node node = history.node(remover);
      boolean knew = node == null || node == adder || node.comesAfter(adder);
      boolean mayBeSeen =
          remover.start() <= reader.transaction.end() && (node == null || !node.comesAfter(reader));
      if (knew && mayBeSeen && node != reader) {
        return true;
      }
    }
    return false;
  }

  /** Checks that no present element was removed by a transaction that must have been seen. */
  private void present(
      Reader reader, RecordedOperation.SetRead read, Element element, Set<String> added) {
    Node adder = history.writer(element.key, element.value);
    if (adder == null) {
      return;
    }
    if (adder == reader.node()) {
      if (!added.contains(element.value)) {
        history.violation(
            reader.node(), "reads %s of %s before it writes it", element.value, element.key);
      }
      return;
    }
    for (RecordedTransaction remover : removers.getOrDefault(element, List.of())) {
      Node node = history.node(remover);
      if (node != null && reader.mustHaveSeen(node) && (node == adder || node.comesAfter(adder))) {
        history.violation(reader.node(), "still sees what %s has removed: %s", remover.id(), read);
      }
    }
  }
}
