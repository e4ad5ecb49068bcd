package io.github.stablecut.cluster.internal.exchange;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.GrowOnlyMap;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.RecursiveResetMap;
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
    for (MapKey<?, ?> place : map.keySet()) {
      ObjectNode entry = array.addObject();
      entry.set("key", JsonBytes.write(place.key()));
      ObjectJson.write(
          entry,
          place.type(),
          () -> Objects.requireNonNull(map.get(place)),
          () -> deadline(map, place));
    }
    return array;
  }

  /** The value of a map answers what is asked of an entry by another view of its type. */
  private static Optional<Instant> deadline(Map<MapKey<?, ?>, Object> map, MapKey<?, ?> place) {
    return new MapKey<>(place.key(), ObjectJson.deadlineOf(place.type()))
        .in(map)
        .orElse(Optional.empty());
  }

  /**
   * Reads entries.
   *
   * @param nothing an operation on a map that does nothing to what is in it
   * @param wrapping makes an operation on a map of one on an object in it
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
    Set<MapKey<?, ?>> places = new HashSet<>();
    for (JsonNode entry : value) {
      ObjectJson.checkFields(entry, Set.of("key", "type", "value", "expires"));
      MapKey<Object, ?> place =
          new MapKey<>(JsonBytes.read(entry.path("key"), "the key"), ObjectJson.readType(entry));
      if (!places.add(place)) {
        throw new MalformedLineException("the map has " + place + " twice");
      }
      try {
        readEntry(entry, place, wrapping, sink);
      } catch (MalformedLineException e) {
        throw e.in("entry " + place);
      }
    }
  }

  private static <O> void readEntry(
      JsonNode entry,
      MapKey<Object, ?> place,
      BiFunction<MapKey<Object, ?>, Object, O> wrapping,
      OperationSink<O> sink) {
    CrdtType<?, Object, ?, ?> type = place.type();
    long placeBytes = ScalarJson.SMALL_BYTES + place.key().length();
    ObjectJson.readEntry(
        entry,
        type,
        (alternatives, bytes) ->
            sink.addConcurrent(
                alternatives.stream().map(one -> wrapping.apply(place, one)).toList(),
                placeBytes + bytes));
  }
}
