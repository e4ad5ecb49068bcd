package io.github.stablecut.object.collection;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.object.SharedObject;
import io.github.stablecut.object.View;
import io.github.stablecut.object.collection.MapType.Pair;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;

/**
 * A map that is one object: the unit of conflict is the whole map, and opening it costs as much as
 * its content. For large maps, or many writers, use {@link ComposedMap} or {@link ComposedTree}.
 */
public final class SharedMap<K, V> extends KeyedMap<K, V> {
  private final SharedObject<Tree<Pair>> object;

  private SharedMap(SharedObject<Tree<Pair>> object, Codec<K> keys, Codec<V> values) {
    super(keys, values);
    this.object = object;
  }

  /** Opens a map. */
  public static <K, V> SharedMap<K, V> open(
      ObjectSpace space, String bucket, String key, Codec<K> keys, Codec<V> values) {
    return open(space, bucket, key, keys, values, View.REMOTE);
  }

  /** Opens a map. */
  public static <K, V> SharedMap<K, V> open(
      ObjectSpace space, String bucket, String key, Codec<K> keys, Codec<V> values, View view) {
    return new SharedMap<>(space.open(bucket, key, MapType.TYPE, view), keys, values);
  }

  /** Returns the same map in another space, such as a transaction. */
  public SharedMap<K, V> in(ObjectSpace space) {
    return new SharedMap<>(object.in(space), keys.codec(), values.codec());
  }

  /** Returns the map's object. */
  public SharedObject<?> object() {
    return object;
  }

  @Override
  <R> R read(Bytes key, R none, Function<SharedObject<Tree<Pair>>, R> call) {
    return call.apply(object);
  }

  @Override
  <R> R change(Bytes key, Function<SharedObject<Tree<Pair>>, R> call) {
    return call.apply(object);
  }

  @Override
  <R> R changeExisting(Bytes key, R none, Function<SharedObject<Tree<Pair>>, R> call) {
    return call.apply(object);
  }

  @Override
  Iterator<Pair> pairs() {
    return object.state().iterator();
  }

  @Override
  void putPairs(List<Pair> pairs) {
    object.call(MapType.PUT_ALL, pairs);
  }

  @Override
  void removeKeys(List<Bytes> removed) {
    object.call(MapType.REMOVE_ALL, removed);
  }

  @Override
  <R> R transact(Function<KeyedMap<K, V>, R> body) {
    return object.space().transact(tx -> body.apply(in(tx)));
  }

  @Override
  public int size() {
    return object.get(MapType.SIZE);
  }

  @Override
  public void clear() {
    object.call(MapType.CLEAR);
  }
}
