package io.github.stablecut.cluster.internal.objects;

import io.github.stablecut.client.NotInProtocolException;
import io.github.stablecut.cluster.internal.antidote.WireMapKey;
import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.map.GrowOnlyMap;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Mappings of the maps. */
final class MapMappings {
  private MapMappings() {}

  private static TypeMapping<?, ?> mapping(MapKey<?, ?> key) {
    return TypeMappings.of(key.type())
        .orElseThrow(
            () ->
                new NotInProtocolException(
                    "the protocol has no %s, which is in a map at key %s: read the map in the server's process"
                        .formatted(key.type().name(), key.key())));
  }

  private static WireMapKey toWire(MapKey<?, ?> key) {
    return new WireMapKey(key.key(), mapping(key).wireType());
  }

  private static List<WireValue.Entry> entries(Map<MapKey<?, ?>, Object> map) {
    List<WireValue.Entry> entries = new ArrayList<>(map.size());
    map.forEach(
        (key, value) ->
            entries.add(new WireValue.Entry(toWire(key), mapping(key).valueToWire(value))));
    entries.sort(Comparator.comparing(WireValue.Entry::place));
    return entries;
  }

  /** {@code GMAP}. */
  static final class GrowOnly extends TypeMapping<GrowOnlyMap.Update, Map<MapKey<?, ?>, Object>> {
    GrowOnly() {
      super(WireType.GMAP, GrowOnlyMap.TYPE);
    }

    @Override
    GrowOnlyMap.Update operation(WireOperation operation) {
      if (operation instanceof WireOperation.Entries entries && entries.removed().isEmpty()) {
        return new GrowOnlyMap.Update(
            entries.updates().stream().<GrowOnlyMap.EntryUpdate<?>>map(GrowOnly::part).toList());
      }
      throw refused(operation);
    }

    private static GrowOnlyMap.EntryUpdate<?> part(WireOperation.Nested nested) {
      return part(nested.place().key(), TypeMappings.of(nested.place().type()), nested.operation());
    }

    private static <O, V> GrowOnlyMap.EntryUpdate<O> part(
        Bytes key, TypeMapping<O, V> mapping, WireOperation operation) {
      return new GrowOnlyMap.EntryUpdate<>(
          new MapKey<>(key, mapping.type()), mapping.operation(operation));
    }

    @Override
    WireValue wireValue(Map<MapKey<?, ?>, Object> value) {
      return new WireValue.Entries(entries(value));
    }
  }

  /**
   * {@code RRMAP}. An operation applies its removals before its updates, so that an update wins
   * over a removal of the same entry. Resetting an entry's object removes the entry.
   */
  static final class RecursiveReset
      extends TypeMapping<RecursiveResetMap.Operation, Map<MapKey<?, ?>, Object>> {
    RecursiveReset() {
      super(WireType.RRMAP, RecursiveResetMap.TYPE);
    }

    @Override
    RecursiveResetMap.Operation operation(WireOperation operation) {
      if (operation instanceof WireOperation.Reset) {
        return new RecursiveResetMap.Reset();
      } else if (operation instanceof WireOperation.Entries entries) {
        List<RecursiveResetMap.EntryOperation> parts = new ArrayList<>();
        entries.removed().forEach(wire -> parts.add(new RecursiveResetMap.Remove(key(wire))));
        entries.updates().forEach(nested -> parts.add(part(nested)));
        return new RecursiveResetMap.Batch(parts);
      }
      throw refused(operation);
    }

    private static MapKey<?, ?> key(WireMapKey wire) {
      return new MapKey<>(wire.key(), TypeMappings.of(wire.type()).type());
    }

    private static RecursiveResetMap.EntryOperation part(WireOperation.Nested nested) {
      return part(nested.place().key(), TypeMappings.of(nested.place().type()), nested.operation());
    }

    private static <O, V> RecursiveResetMap.EntryOperation part(
        Bytes key, TypeMapping<O, V> mapping, WireOperation operation) {
      MapKey<O, V> entry = new MapKey<>(key, mapping.type());
      O own = mapping.operation(operation);
      return operation instanceof WireOperation.Reset
          ? new RecursiveResetMap.Remove(entry)
          : new RecursiveResetMap.Update<>(entry, own);
    }

    /** The entries, without those that AntidoteDB hides: see {@link #isHidden}. */
    @Override
    WireValue wireValue(Map<MapKey<?, ?>, Object> value) {
      return new WireValue.Entries(
          entries(value).stream().filter(entry -> !isHidden(entry)).toList());
    }

    /**
     * Whether AntidoteDB hides an entry: an empty object of one of these types counts as missing.
     */
    private static boolean isHidden(WireValue.Entry entry) {
      return switch (entry.place().type()) {
        case ORSET -> entry.value().equals(new WireValue.Elements(List.of()));
        case MVREG -> entry.value().equals(new WireValue.Registers(List.of()));
        case RRMAP -> entry.value().equals(new WireValue.Entries(List.of()));
        case FLAG_EW -> entry.value().equals(new WireValue.Flag(false));
        default -> false;
      };
    }
  }
}
