package io.github.stablecut.object.collection;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.object.ObjectType;
import io.github.stablecut.object.Operation;
import io.github.stablecut.object.Operation.Mutator;
import io.github.stablecut.object.Operation.None;
import io.github.stablecut.object.SharedObject;
import io.github.stablecut.object.View;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A map from ranges of keys to values, which is one object. Ranges include their beginning and
 * exclude their end. Keys are ordered by their bytes; for the codecs of numbers and texts in {@link
 * Codec}, this is the natural order. As thread-safe as its {@link ObjectSpace}.
 */
public final class SharedRangeMap<K, V> {
  /** A range of keys. */
  public record Range<K>(K from, K until) {}

  private record RangeEntry(Bytes from, Bytes until, Bytes value) {
    private static final Codec<RangeEntry> CODEC =
        CollectionCodecs.codec(RangeEntry::write, RangeEntry::read);

    private static void write(RangeEntry part, Encoder out) {
      out.writeBytes(part.from);
      out.writeBytes(part.until);
      out.writeBytes(part.value);
    }

    private static RangeEntry read(Decoder in) {
      return new RangeEntry(in.readBytes(), in.readBytes(), in.readBytes());
    }
  }

  private static final Mutator<Tree<RangeEntry>, RangeEntry> PUT =
      Operation.mutator(
          "put",
          RangeEntry.CODEC,
          (map, part) -> {
            Tree<RangeEntry> cut = without(map, part);
            return cut.inserted(firstAtOrAfter(cut, part.from), part);
          });

  private static final Mutator<Tree<RangeEntry>, RangeEntry> REMOVE =
      Operation.mutator("remove", RangeEntry.CODEC, SharedRangeMap::without);

  private static final Mutator<Tree<RangeEntry>, None> CLEAR =
      Operation.mutator("clear", map -> Tree.empty());

  private static final ObjectType<Tree<RangeEntry>> TYPE =
      ObjectType.of(
              "range map",
              CollectionCodecs.<RangeEntry>tree(3, RangeEntry::write, RangeEntry::read),
              Tree.<RangeEntry>empty())
          .with(PUT, REMOVE, CLEAR);

  private final SharedObject<Tree<RangeEntry>> object;
  private final Elements<K> keys;
  private final Elements<V> values;

  private SharedRangeMap(
      SharedObject<Tree<RangeEntry>> object, Elements<K> keys, Elements<V> values) {
    this.object = object;
    this.keys = keys;
    this.values = values;
  }

  /** Opens a map. */
  public static <K, V> SharedRangeMap<K, V> open(
      ObjectSpace space, String bucket, String key, Codec<K> keys, Codec<V> values) {
    return open(space, bucket, key, keys, values, View.REMOTE);
  }

  /** Opens a map. */
  public static <K, V> SharedRangeMap<K, V> open(
      ObjectSpace space, String bucket, String key, Codec<K> keys, Codec<V> values, View view) {
    return new SharedRangeMap<>(
        space.open(bucket, key, TYPE, view), new Elements<>(keys), new Elements<>(values));
  }

  /** Returns the same map in another space, such as a transaction. */
  public SharedRangeMap<K, V> in(ObjectSpace space) {
    return new SharedRangeMap<>(object.in(space), keys, values);
  }

  /** Sets the value of all keys of a range, replacing those that they have. */
  public void put(K from, K until, V value) {
    object.call(PUT, part(from, until, values.encode(value)));
  }

  /** Removes the values of all keys of a range. */
  public void remove(K from, K until) {
    object.call(REMOVE, part(from, until, Bytes.EMPTY));
  }

  private RangeEntry part(K from, K until, Bytes value) {
    RangeEntry part = new RangeEntry(keys.encode(from), keys.encode(until), value);
    if (part.from.compareTo(part.until) >= 0) {
      throw new IllegalArgumentException(
          "the range from %s to %s is empty: its end must be after its start"
              .formatted(from, until));
    }
    return part;
  }

  /** Removes all values. */
  public void clear() {
    object.call(CLEAR);
  }

  /** Returns the value of a key; empty if no range contains it. */
  public Optional<V> get(K key) {
    Bytes encoded = keys.encode(key);
    return object
        .get(
            map -> {
              int index = lastAtOrBefore(map, encoded);
              return index >= 0 && encoded.compareTo(map.get(index).until) < 0
                  ? Optional.of(map.get(index).value)
                  : Optional.<Bytes>empty();
            })
        .map(values::decode);
  }

  /** Returns an immutable copy of the ranges as they are now, in order, with their values. */
  public Map<Range<K>, V> asMap() {
    Map<Range<K>, V> all = new LinkedHashMap<>();
    for (RangeEntry part : object.state()) {
      all.put(
          new Range<>(keys.decode(part.from), keys.decode(part.until)), values.decode(part.value));
    }
    return Collections.unmodifiableMap(all);
  }

  private static int lastAtOrBefore(Tree<RangeEntry> map, Bytes key) {
    int index = map.search(part -> key.compareTo(part.from));
    return index >= 0 ? index : -2 - index;
  }

  private static int firstAtOrAfter(Tree<RangeEntry> map, Bytes key) {
    int index = map.search(part -> key.compareTo(part.from));
    return index >= 0 ? index : -1 - index;
  }

  /** Returns the ranges without the keys of one. */
  private static Tree<RangeEntry> without(Tree<RangeEntry> map, RangeEntry removed) {
    Tree<RangeEntry> left = map;
    List<RangeEntry> rests = new ArrayList<>();
    int index = Math.max(0, lastAtOrBefore(map, removed.from));
    while (index < left.size() && left.get(index).from.compareTo(removed.until) < 0) {
      RangeEntry part = left.get(index);
      if (part.until.compareTo(removed.from) <= 0) {
        index++;
        continue;
      }
      left = left.removed(index);
      if (part.from.compareTo(removed.from) < 0) {
        rests.add(new RangeEntry(part.from, removed.from, part.value));
      }
      if (part.until.compareTo(removed.until) > 0) {
        rests.add(new RangeEntry(removed.until, part.until, part.value));
      }
    }
    for (RangeEntry rest : rests) {
      left = left.inserted(firstAtOrAfter(left, rest.from), rest);
    }
    return left;
  }
}
