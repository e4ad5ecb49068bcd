package io.github.stablecut.cluster.internal.exchange;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.register.LwwRecord;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Records as arrays of pairs of a column's number and its value; null for a missing record. Several
 * operations create a large record.
 */
final class RecordJson {
  private RecordJson() {}

  static ValueJson<LwwRecord.Operation, Optional<SortedMap<Integer, Bytes>>> values() {
    return new ValueJson<>(RecordJson::write, RecordJson::read);
  }

  private static JsonNode write(Optional<SortedMap<Integer, Bytes>> columns) {
    if (columns.isEmpty()) {
      return NullNode.instance;
    }
    ArrayNode array = JsonNodeFactory.instance.arrayNode(columns.get().size());
    columns
        .get()
        .forEach((number, value) -> array.addArray().add(number).add(JsonBytes.write(value)));
    return array;
  }

  private static void read(JsonNode value, OperationSink<LwwRecord.Operation> sink) {
    if (value.isNull()) {
      sink.add(new LwwRecord.Reset(), ScalarJson.SMALL_BYTES);
      return;
    }
    TreeMap<Integer, Optional<Bytes>> part = new TreeMap<>();
    long bytes = ScalarJson.SMALL_BYTES;
    for (Map.Entry<Integer, Bytes> column : columns(value).entrySet()) {
      long columnBytes = ScalarJson.SMALL_BYTES + column.getValue().length();
      if (!part.isEmpty() && bytes + columnBytes > CollectionJson.OPERATION_BYTES) {
        sink.add(new LwwRecord.Write(part), bytes);
        part.clear();
        bytes = ScalarJson.SMALL_BYTES;
      }
      part.put(column.getKey(), Optional.of(column.getValue()));
      bytes += columnBytes;
    }
    sink.add(new LwwRecord.Write(part), bytes);
  }

  private static SortedMap<Integer, Bytes> columns(JsonNode value) {
    if (!value.isArray()) {
      throw new MalformedLineException("the value is not an array");
    }
    SortedMap<Integer, Bytes> columns = new TreeMap<>();
    for (JsonNode pair : value) {
      if (!pair.isArray() || pair.size() != 2) {
        throw new MalformedLineException("a column is not a pair of a number and a value");
      }
      long number = ScalarJson.readNumber(pair.get(0), "the number of a column");
      if (number < 0 || number > Integer.MAX_VALUE) {
        throw new MalformedLineException(
            "a column's number must be 0 to %,d, not %,d".formatted(Integer.MAX_VALUE, number));
      }
      if (columns.put((int) number, JsonBytes.read(pair.get(1), "column " + number)) != null) {
        throw new MalformedLineException("column " + number + " is repeated");
      }
    }
    return columns;
  }
}
