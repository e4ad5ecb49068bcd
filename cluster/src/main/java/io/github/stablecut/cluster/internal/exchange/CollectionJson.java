package io.github.stablecut.cluster.internal.exchange;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.map.CounterMap;
import io.github.stablecut.crdt.sequence.Rga;
import io.github.stablecut.crdt.sequence.RgaList;
import io.github.stablecut.crdt.sequence.RgaText;
import io.github.stablecut.crdt.sequence.Text;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * Sets and lists as arrays, texts as strings, counter maps as arrays of pairs. Several operations
 * create a large object.
 */
final class CollectionJson {
  /** Approximate maximum size of an operation's elements, unless it has a single one. */
  static final int OPERATION_BYTES = 1 << 20;

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private CollectionJson() {}

  static <O> ValueJson<O, Set<Bytes>> set(Function<List<Bytes>, ? extends O> add) {
    return new ValueJson<>(
        JsonBytes::writeAll,
        (value, sink) -> {
          for (List<Bytes> part : parts(JsonBytes.readAll(value, "the value"))) {
            sink.add(add.apply(part), bytesOf(part));
          }
        });
  }

  static ValueJson<Rga.Operation<List<Bytes>>, List<Bytes>> list() {
    return new ValueJson<>(
        JsonBytes::writeAll,
        (value, sink) -> {
          int position = 0;
          for (List<Bytes> part : parts(JsonBytes.readAll(value, "the value"))) {
            sink.add(RgaList.insert(position, part), bytesOf(part));
            position += part.size();
          }
        });
  }

  static ValueJson<Rga.Operation<String>, Text> text() {
    return new ValueJson<>(text -> NODES.textNode(text.toString()), CollectionJson::readText);
  }

  private static void readText(JsonNode value, OperationSink<Rga.Operation<String>> sink) {
    String text = JsonBytes.readText(value, "the value");
    int position = 0;
    int from = 0;
    do {
      int to = Math.min(text.length(), from + OPERATION_BYTES / Character.BYTES);
      if (to < text.length() && Character.isLowSurrogate(text.charAt(to))) {
        to++;
      }
      String part = text.substring(from, to);
      sink.add(RgaText.insert(position, part), ScalarJson.SMALL_BYTES + 2L * part.length());
      position += part.codePointCount(0, part.length());
      from = to;
    } while (from < text.length());
  }

  static ValueJson<CounterMap.Add, Map<Bytes, Long>> counterMap() {
    return new ValueJson<>(CollectionJson::writeCounters, CollectionJson::readCounters);
  }

  private static JsonNode writeCounters(Map<Bytes, Long> counters) {
    ArrayNode array = NODES.arrayNode(counters.size());
    for (Bytes name : counters.keySet()) {
      array
          .addArray()
          .add(JsonBytes.write(name))
          .add(SumJson.writeSeen(() -> Objects.requireNonNull(counters.get(name))));
    }
    return array;
  }

  private static void readCounters(JsonNode value, OperationSink<CounterMap.Add> sink) {
    if (!value.isArray()) {
      throw new MalformedLineException("the value is not an array");
    }
    Map<Bytes, List<Long>> counters = new LinkedHashMap<>();
    int additions = 1;
    for (JsonNode pair : value) {
      if (!pair.isArray() || pair.size() != 2) {
        throw new MalformedLineException("a counter is not a pair of a name and a number");
      }
      Bytes name = JsonBytes.read(pair.get(0), "the name of a counter");
      List<Long> amounts = SumJson.amounts(SumJson.read(pair.get(1), "counter " + name));
      if (counters.put(name, amounts) != null) {
        throw new MalformedLineException("counter " + name + " is repeated");
      }
      additions = Math.max(additions, amounts.size());
    }
    for (int i = 0; i < additions; i++) {
      addCounters(counters, i, sink);
    }
  }

  /** Adds the amounts at an index, of the counters that have that many. */
  private static void addCounters(
      Map<Bytes, List<Long>> counters, int index, OperationSink<CounterMap.Add> sink) {
    Map<Bytes, Long> remaining = new LinkedHashMap<>();
    counters.forEach(
        (name, amounts) -> {
          if (index < amounts.size()) {
            remaining.put(name, amounts.get(index));
          }
        });
    for (List<Bytes> part : parts(List.copyOf(remaining.keySet()))) {
      Map<Bytes, Long> amounts = new LinkedHashMap<>();
      part.forEach(name -> amounts.put(name, remaining.getOrDefault(name, 0L)));
      sink.add(new CounterMap.Add(amounts), bytesOf(part));
    }
  }

  /** Divides elements into parts for one operation each; at least one part, possibly empty. */
  static List<List<Bytes>> parts(List<Bytes> elements) {
    List<List<Bytes>> parts = new ArrayList<>();
    int from = 0;
    long bytes = 0;
    for (int i = 0; i < elements.size(); i++) {
      long elementBytes = ScalarJson.SMALL_BYTES + elements.get(i).length();
      if (bytes + elementBytes > OPERATION_BYTES && i > from) {
        parts.add(elements.subList(from, i));
        from = i;
        bytes = 0;
      }
      bytes += elementBytes;
    }
    parts.add(elements.subList(from, elements.size()));
    return parts;
  }

  static long bytesOf(List<Bytes> elements) {
    return ScalarJson.SMALL_BYTES
        + elements.stream().mapToLong(element -> ScalarJson.SMALL_BYTES + element.length()).sum();
  }
}
