package io.github.stablecut.cluster.internal.exchange;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.stream.EntryStream;
import io.github.stablecut.crdt.stream.StreamValue;
import java.util.List;
import java.util.Optional;

/**
 * Streams as objects:
 *
 * <pre>
 *   "first"    the first position, unless it is 0
 *   "summary"  the summary of the entries before it, if there is one
 *   "entries"  an array
 * </pre>
 */
final class StreamJson {
  private static final String FIRST = "first";
  private static final String SUMMARY = "summary";

  private StreamJson() {}

  static ValueJson<EntryStream.Operation, StreamValue> values() {
    return new ValueJson<>(StreamJson::write, StreamJson::read);
  }

  private static JsonNode write(StreamValue stream) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    if (stream.first() > 0) {
      node.put(FIRST, stream.first());
    }
    stream.summary().ifPresent(summary -> node.set(SUMMARY, JsonBytes.write(summary)));
    node.set("entries", JsonBytes.writeAll(stream.entries(stream.first(), stream.tail())));
    return node;
  }

  private static void read(JsonNode value, OperationSink<EntryStream.Operation> sink) {
    if (!value.isObject()) {
      throw new MalformedLineException("the value of a stream is not an object");
    }
    long first = value.has(FIRST) ? ScalarJson.readNumber(value.get(FIRST), "first") : 0;
    if (first < 0) {
      throw new MalformedLineException("first is below 0");
    }
    Optional<Bytes> summary =
        value.has(SUMMARY)
            ? Optional.of(JsonBytes.read(value.get(SUMMARY), "the summary"))
            : Optional.empty();
    if (first > 0 || summary.isPresent()) {
      sink.add(
          new EntryStream.Begin(first, summary),
          ScalarJson.SMALL_BYTES + summary.map(Bytes::length).orElse(0));
    }
    for (List<Bytes> part :
        CollectionJson.parts(JsonBytes.readAll(value.path("entries"), "the entries"))) {
      sink.add(new EntryStream.Append(part, false), CollectionJson.bytesOf(part));
    }
  }
}
