package io.github.stablecut.testing.history;

import io.github.stablecut.testing.history.History.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The writes of one line to an object, in order. Confined to one thread. */
final class LineWrites {
  private final List<Node> writers = new ArrayList<>();
  private final List<RecordedOperation> operations = new ArrayList<>();

  /** The writes by object and line. */
  static final class WriteIndex {
    private final Map<String, Map<Integer, LineWrites>> writes = new HashMap<>();

    void add(Node writer, RecordedOperation operation) {
      LineWrites ofLine =
          writes
              .computeIfAbsent(operation.key(), key -> new HashMap<>())
              .computeIfAbsent(writer.line, line -> new LineWrites());
      ofLine.writers.add(writer);
      ofLine.operations.add(operation);
    }

    /** The writes to an object, by line. */
    Map<Integer, LineWrites> of(String key) {
      return writes.getOrDefault(key, Map.of());
    }
  }

  Node writer(int i) {
    return writers.get(i);
  }

  RecordedOperation operation(int i) {
    return operations.get(i);
  }

  /** The number of writes by the line's first transactions. */
  int within(int transactions) {
    int low = 0;
    int high = writers.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (writers.get(middle).place < transactions) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
