package io.github.stablecut.testing.history;

import io.github.stablecut.testing.history.History.Node;
import io.github.stablecut.testing.history.RecordedTransaction.Outcome;
import java.util.List;

/** A transaction whose reads are judged, and what it must have seen. Confined to one thread. */
final class Reader {
  private final Node node;

  /** For each line of work how many transactions it must have seen. */
  private final int[] required;

  private Reader(Node node, int[] required) {
    this.node = node;
    this.required = required;
  }

  /**
   * @param isUpToDate whether it must have seen all that was acknowledged before it began
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

  /** How many transactions of a line of work it must have seen. */
  int required(int line) {
    return required[line];
  }

  /** Whether it must have seen a transaction of another. */
  boolean mustHaveSeen(Node other) {
    return other != node && other.place < required[other.line];
  }

  /** Says of a read that lacks what somebody wrote why it should have it. */
  String missed(Node writer, RecordedOperation read) {
    String how;
    if (writer.line == node.line) {
      how = "misses what its own session has written before";
    } else if (node.before.contains(writer)) {
      how = "sees only a part";
    } else if (node.comesAfter(writer)) {
      how = "misses what came before something that it sees";
    } else {
      how = "misses what was acknowledged before it began";
    }
    return "%s: %s lacks %s".formatted(how, read, writer.transaction.id());
  }
}
