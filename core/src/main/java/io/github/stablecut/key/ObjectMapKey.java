package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.Question;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.key.PathStep.InMap;
import io.github.stablecut.key.PathStep.MapKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The name of a map of objects. It makes the keys of the objects in it, as {@link Key} makes those
 * of objects in buckets; they are read and updated as any others, at the cost of a look-up, and may
 * be maps themselves. An object in a map needs no creation. Objects of different types with the
 * same name are different objects. A name has at most 1 MiB: executing an operation on a longer one
 * throws {@link LimitExceededException}.
 */
public abstract sealed class ObjectMapKey extends Key<MapValue>
    permits GrowOnlyMapKey, RecursiveMapKey {
  private final MapKind kind;

  ObjectMapKey(ObjectPath place, CrdtType<?, ?, ?, Map<MapKey<?, ?>, Object>> type, MapKind kind) {
    super(place, type, value -> new MapValue(place, kind, value));
    this.kind = kind;
  }

  private ObjectPath in(String name) {
    return in(Bytes.utf8(name));
  }

  private ObjectPath in(Bytes name) {
    return place().then(new InMap(kind, name));
  }

  /** A counter that goes up and down. */
  public final CounterKey counter(String name) {
    return new CounterKey(in(name));
  }

  /** A counter that can be reset. */
  public final ResettableCounterKey resettableCounter(String name) {
    return new ResettableCounterKey(in(name));
  }

  /** A counter that never falls below 0. */
  public final BoundedCounterKey boundedCounter(String name) {
    return new BoundedCounterKey(in(name));
  }

  /** A register in which the last writer wins. */
  public final <T> RegisterKey<T> register(String name, Codec<T> values) {
    ObjectPath place = in(name);
    return new RegisterKey<>(place, place.codec(values));
  }

  /** A register that keeps all values that were assigned concurrently. */
  public final <T> MultiValueRegisterKey<T> multiValueRegister(String name, Codec<T> values) {
    ObjectPath place = in(name);
    return new MultiValueRegisterKey<>(place, place.codec(values));
  }

  /** A set from which nothing is removed. */
  public final <T> GrowOnlySetKey<T> growOnlySet(String name, Codec<T> elements) {
    ObjectPath place = in(name);
    return new GrowOnlySetKey<>(place, place.codec(elements));
  }

  /** A set in which an addition wins over a concurrent removal. */
  public final <T> AddWinsSetKey<T> addWinsSet(String name, Codec<T> elements) {
    ObjectPath place = in(name);
    return new AddWinsSetKey<>(place, place.codec(elements));
  }

  /** A set in which a removal wins over a concurrent addition. */
  public final <T> RemoveWinsSetKey<T> removeWinsSet(String name, Codec<T> elements) {
    ObjectPath place = in(name);
    return new RemoveWinsSetKey<>(place, place.codec(elements));
  }

  /** A flag for which enabling wins over concurrent disabling. */
  public final FlagKey enableWinsFlag(String name) {
    return FlagKey.enableWins(in(name));
  }

  /** A flag for which disabling wins over concurrent enabling. */
  public final FlagKey disableWinsFlag(String name) {
    return FlagKey.disableWins(in(name));
  }

  /** Many counters in one object. */
  public final <T> CounterMapKey<T> counterMap(String name, Codec<T> names) {
    ObjectPath place = in(name);
    return new CounterMapKey<>(place, place.codec(names));
  }

  /** A list that is edited by position. */
  public final <T> ListKey<T> list(String name, Codec<T> elements) {
    ObjectPath place = in(name);
    return new ListKey<>(place, place.codec(elements));
  }

  /** A text that is edited by position. */
  public final TextKey text(String name) {
    return new TextKey(in(name));
  }

  /** A stream of entries, each under the next position. */
  public final <T> StreamKey<T> stream(String name, Codec<T> entries) {
    ObjectPath place = in(name);
    return new StreamKey<>(place, place.codec(entries));
  }

  /** A map of objects from which nothing is removed, but by removing it from this one. */
  public final GrowOnlyMapKey growOnlyMap(String name) {
    return new GrowOnlyMapKey(in(name));
  }

  /** A map of objects that can be removed. */
  public final RecursiveMapKey map(String name) {
    return new RecursiveMapKey(in(name));
  }

  /** An object of any type, with operations and values as the type has them. */
  public final <O, V> ObjectKey<O, V> of(Bytes name, CrdtType<?, O, ?, V> type) {
    return new ObjectKey<>(in(name), type);
  }

  /** How many objects there are. */
  public final Query<Integer> size() {
    return ask(new Question.Size());
  }

  /**
   * Whether an object is in this map.
   *
   * @throws IllegalArgumentException if it is an object outside this map, or in another one in it
   */
  public final Query<Boolean> contains(Key<?> entry) {
    return ask(
        new Question.HasEntry(
            entry
                .place()
                .entryOf(place(), kind, entry.ownType())
                .orElseThrow(() -> notInside(entry))));
  }

  /**
   * Executes updates of this map and of objects in it, at whatever depth, as one atomic operation:
   * each sees the earlier ones.
   *
   * @throws IllegalArgumentException if one is of an object outside this map
   */
  public abstract Update batch(Update... updates);

  /**
   * What updates are for this map.
   *
   * @param type the type's operations
   */
  final <O> List<O> operations(Class<O> type, Update... updates) {
    List<O> operations = new ArrayList<>(updates.length);
    for (Update update : updates) {
      operations.add(
          update
              .operationAt(place())
              .filter(type::isInstance)
              .map(type::cast)
              .orElseThrow(() -> notInside(update.key())));
    }
    return operations;
  }

  final IllegalArgumentException notInside(Key<?> key) {
    return new IllegalArgumentException(key + " is not in " + this + ": use its own map");
  }
}
