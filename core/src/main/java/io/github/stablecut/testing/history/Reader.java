package io.github.stablecut.testing.history;

import io.github.stablecut.testing.history.History.Node;
import io.github.stablecut.testing.history.RecordedTransaction.Outcome;
import java.util.List;

/** A transaction whose reads are checked, and what it must have seen. Confined to one thread. */
final class Reader {
  private final Node node;

  /** For each line, the number of transactions that it must have seen. */
  private final int[] required;

  private Reader(Node node, int[] required) {
    this.node = node;
    this.required = required;
  }

  /**
   * @param isUpToDate whether it must have seen everything acknowledged before it began
   */
  static Reader of(Node node, History history, boolean isUpToDate) {
    int[] required = node.past.clone();
    if (isUpToDate) {
      List<List<Node>> lines = history.lines();
      for (int line = 0; line < required.length; line++) {
        int ended = endedBefore(lines.get(line), node.transaction.start());
        if (ended > required[line]) {
          required[line] = ended;
          join(required, lines.get(line).get(ended - 1).past);
        }
      }
    }
    return new Reader(node, required);
  }

  private static void join(int[] required, int[] past) {
    for (int line = 0; line < required.length; line++) {
      required[line] = Math.max(required[line], past[line]);
    }
  }

  private static int endedBefore(List<Node> line, long time) {
    int low = 0;
    int high = line.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      RecordedTransaction transaction = line.get(middle).transaction;
      if (transaction.outcome() == Outcome.OK && transaction.end() < time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  Node node() {
    return node;
  }

  /** The number of a line's transactions that it must have seen. */
  int required(int line) {
    return required[line];
  }

  /** Whether it must have seen another transaction. */
  boolean mustHaveSeen(Node other) {
    return other != node && other.place < required[other.line];
  }

  /** Describes why a read should include a write that it lacks. */
  String missed(Node writer, RecordedOperation read) {
    String how;
    if (writer.line == node.line) {
      how = "misses an earlier write of its own session";
    } else if (node.before.contains(writer)) {
      how = "sees only a part of a transaction";
    } else if (node.comesAfter(writer)) {
      how = "misses a predecessor of what it sees";
    } else {
      how = "misses what was acknowledged before it began";
    }
    return "%s: %s lacks %s".formatted(how, read, writer.transaction.id());
  }
}
