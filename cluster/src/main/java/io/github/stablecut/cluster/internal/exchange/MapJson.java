package io.github.stablecut.cluster.internal.exchange;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.map.GrowOnlyMap;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

/** Maps of objects as arrays of their entries, each with key, type and value. */
final class MapJson {
  private MapJson() {}

  static ValueJson<GrowOnlyMap.Update, Map<MapKey<?, ?>, Object>> growOnly() {
    GrowOnlyMap.Update nothing = new GrowOnlyMap.Update(List.of());
    return new ValueJson<>(
        MapJson::write, (value, sink) -> read(value, nothing, GrowOnlyMap.Update::of, sink));
  }

  static ValueJson<RecursiveResetMap.Operation, Map<MapKey<?, ?>, Object>> recursive() {
    RecursiveResetMap.Operation nothing = new RecursiveResetMap.Batch(List.of());
    return new ValueJson<>(
        MapJson::write, (value, sink) -> read(value, nothing, RecursiveResetMap.Update::new, sink));
  }

  private static JsonNode write(Map<MapKey<?, ?>, Object> map) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    for (MapKey<?, ?> mapKey : map.keySet()) {
      ObjectNode entry = array.addObject();
      entry.set("key", JsonBytes.write(mapKey.key()));
      ObjectJson.write(
          entry,
          mapKey.type(),
          () -> Objects.requireNonNull(map.get(mapKey)),
          () -> deadline(map, mapKey));
    }
    return array;
  }

  /** Returns an entry's expiry time, read through another view of the entry's type. */
  private static Optional<Instant> deadline(Map<MapKey<?, ?>, Object> map, MapKey<?, ?> mapKey) {
    return new MapKey<>(mapKey.key(), ObjectJson.deadlineOf(mapKey.type()))
        .in(map)
        .orElse(Optional.empty());
  }

  /**
   * Reads entries.
   *
   * @param nothing an operation on a map that changes none of its objects
   * @param wrapping converts an operation on an object in a map to one on the map
   */
  private static <O> void read(
      JsonNode value,
      O nothing,
      BiFunction<MapKey<Object, ?>, Object, O> wrapping,
      OperationSink<O> sink) {
    if (!value.isArray()) {
      throw new MalformedLineException("the value is not an array");
    }
    if (value.isEmpty()) {
      sink.add(nothing, ScalarJson.SMALL_BYTES);
    }
    Set<MapKey<?, ?>> mapKeys = new HashSet<>();
    for (JsonNode entry : value) {
      ObjectJson.checkFields(entry, Set.of("key", "type", "value", "expires"));
      MapKey<Object, ?> mapKey =
          new MapKey<>(JsonBytes.read(entry.path("key"), "the key"), ObjectJson.readType(entry));
      if (!mapKeys.add(mapKey)) {
        throw new MalformedLineException("entry " + mapKey + " is repeated");
      }
      try {
        readEntry(entry, mapKey, wrapping, sink);
      } catch (MalformedLineException e) {
        throw e.in("entry " + mapKey);
      }
    }
  }

  private static <O> void readEntry(
      JsonNode entry,
      MapKey<Object, ?> mapKey,
      BiFunction<MapKey<Object, ?>, Object, O> wrapping,
      OperationSink<O> sink) {
    CrdtType<?, Object, ?, ?> type = mapKey.type();
    long keyBytes = ScalarJson.SMALL_BYTES + mapKey.key().length();
    ObjectJson.readEntry(
        entry,
        type,
        (alternatives, bytes) ->
            sink.addConcurrent(
                alternatives.stream().map(operation -> wrapping.apply(mapKey, operation)).toList(),
                keyBytes + bytes));
  }
}
