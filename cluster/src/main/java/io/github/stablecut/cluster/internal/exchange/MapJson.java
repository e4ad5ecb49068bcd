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
import java.util.Optional;
import java.util.Set;

/** Maps of objects as arrays of their entries, each with key, type and value. */
final class MapJson {
  private MapJson() {}

  /** Makes an operation on a map of one on an object in it. */
  @FunctionalInterface
  private interface Wrapping<O> {
    <P> O around(MapKey<P, ?> place, P operation);
  }

  private static final class GrowOnly implements Wrapping<GrowOnlyMap.Update> {
    @Override
    public <P> GrowOnlyMap.Update around(MapKey<P, ?> place, P operation) {
      return GrowOnlyMap.Update.of(place, operation);
    }
  }

  private static final class Recursive implements Wrapping<RecursiveResetMap.Operation> {
    @Override
    public <P> RecursiveResetMap.Operation around(MapKey<P, ?> place, P operation) {
      return new RecursiveResetMap.Update<>(place, operation);
    }
  }

  static ValueJson<GrowOnlyMap.Update, Map<MapKey<?, ?>, Object>> growOnly() {
    GrowOnlyMap.Update nothing = new GrowOnlyMap.Update(List.of());
    return new ValueJson<>(
        MapJson::write, (value, sink) -> read(value, nothing, new GrowOnly(), sink));
  }

  static ValueJson<RecursiveResetMap.Operation, Map<MapKey<?, ?>, Object>> recursive() {
    RecursiveResetMap.Operation nothing = new RecursiveResetMap.Batch(List.of());
    return new ValueJson<>(
        MapJson::write, (value, sink) -> read(value, nothing, new Recursive(), sink));
  }

  private static JsonNode write(Map<MapKey<?, ?>, Object> map) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    map.forEach(
        (place, value) -> {
          ObjectNode entry = array.addObject();
          entry.set("key", JsonBytes.write(place.key()));
          ObjectJson.write(entry, place.type(), value, () -> deadline(map, place));
        });
    return array;
  }

  /** The value of a map answers what is asked of an entry by another view of its type. */
  private static Optional<Instant> deadline(Map<MapKey<?, ?>, Object> map, MapKey<?, ?> place) {
    return new MapKey<>(place.key(), ObjectJson.deadlineOf(place.type()))
        .in(map)
        .orElse(Optional.empty());
  }

  private static <O> void read(
      JsonNode value, O nothing, Wrapping<O> wrapping, OperationSink<O> sink) {
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
      JsonNode entry, MapKey<Object, ?> place, Wrapping<O> wrapping, OperationSink<O> sink) {
    CrdtType<?, Object, ?, ?> type = place.type();
    long placeBytes = ScalarJson.SMALL_BYTES + place.key().length();
    ObjectJson.read(
        entry,
        type,
        (alternatives, bytes) ->
            sink.addConcurrent(
                alternatives.stream().map(one -> wrapping.around(place, one)).toList(),
                placeBytes + bytes));
  }
}
