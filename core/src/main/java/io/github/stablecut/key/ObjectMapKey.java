package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.key.PathStep.InMap;
import io.github.stablecut.key.PathStep.MapKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The key of a map of objects. It creates the keys of the objects in the map, as {@link Key}
 * creates those of objects in buckets. These objects are read and updated like any others, at the
 * cost of a look-up, and may be maps themselves. An object in a map is not created explicitly.
 * Objects of different types with the same name are different objects. A name has at most 1 MiB:
 * executing an operation on a longer one throws {@link LimitExceededException}.
 */
public abstract sealed class ObjectMapKey extends Key<MapValue>
    permits GrowOnlyMapKey, RecursiveMapKey {
  private final MapKind kind;

  ObjectMapKey(ObjectPath path, CrdtType<?, ?, ?, Map<MapKey<?, ?>, Object>> type, MapKind kind) {
    super(path, type, value -> new MapValue(path, kind, value));
    this.kind = kind;
  }

  private ObjectPath in(String name) {
    return in(Bytes.utf8(name));
  }

  private ObjectPath in(Bytes name) {
    return path().then(new InMap(kind, name));
  }

  /** A counter that can be incremented and decremented. */
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
    ObjectPath path = in(name);
    return new RegisterKey<>(path, path.codec(values));
  }

  /** A register that keeps all concurrently assigned values. */
  public final <T> MultiValueRegisterKey<T> multiValueRegister(String name, Codec<T> values) {
    ObjectPath path = in(name);
    return new MultiValueRegisterKey<>(path, path.codec(values));
  }

  /** A set without removal. */
  public final <T> GrowOnlySetKey<T> growOnlySet(String name, Codec<T> elements) {
    ObjectPath path = in(name);
    return new GrowOnlySetKey<>(path, path.codec(elements));
  }

  /** A set in which an addition wins over a concurrent removal. */
  public final <T> AddWinsSetKey<T> addWinsSet(String name, Codec<T> elements) {
    ObjectPath path = in(name);
    return new AddWinsSetKey<>(path, path.codec(elements));
  }

  /** A set in which a removal wins over a concurrent addition. */
  public final <T> RemoveWinsSetKey<T> removeWinsSet(String name, Codec<T> elements) {
    ObjectPath path = in(name);
    return new RemoveWinsSetKey<>(path, path.codec(elements));
  }

  /** A flag for which enabling wins over concurrent disabling. */
  public final FlagKey enableWinsFlag(String name) {
    return FlagKey.enableWins(in(name));
  }

  /** A flag for which disabling wins over concurrent enabling. */
  public final FlagKey disableWinsFlag(String name) {
    return FlagKey.disableWins(in(name));
  }

  /** An object that contains many counters. */
  public final <T> CounterMapKey<T> counterMap(String name, Codec<T> names) {
    ObjectPath path = in(name);
    return new CounterMapKey<>(path, path.codec(names));
  }

  /** A list that is edited by position. */
  public final <T> ListKey<T> list(String name, Codec<T> elements) {
    ObjectPath path = in(name);
    return new ListKey<>(path, path.codec(elements));
  }

  /** A text that is edited by position. */
  public final TextKey text(String name) {
    return new TextKey(in(name));
  }

  /** A stream of entries with consecutive positions. */
  public final <T> StreamKey<T> stream(String name, Codec<T> entries) {
    ObjectPath path = in(name);
    return new StreamKey<>(path, path.codec(entries));
  }

  /** A map of objects without removal, except by removing the whole map from this one. */
  public final GrowOnlyMapKey growOnlyMap(String name) {
    return new GrowOnlyMapKey(in(name));
  }

  /** A map of objects with removal. */
  public final RecursiveMapKey map(String name) {
    return new RecursiveMapKey(in(name));
  }

  /** An object of any type, with the type's own operations and values. */
  public final <O, V> ObjectKey<O, V> of(Bytes name, CrdtType<?, O, ?, V> type) {
    return new ObjectKey<>(in(name), type);
  }

  /** The number of objects. */
  public final Query<Integer> size() {
    return ask(new Question.Size());
  }

  /**
   * Whether an object is in this map.
   *
   * @throws IllegalArgumentException if the object is outside this map, or in a map nested in it
   */
  public final Query<Boolean> contains(Key<?> entry) {
    return ask(
        new Question.HasEntry(
            entry
                .path()
                .entryOf(path(), kind, entry.ownType())
                .orElseThrow(() -> notInside(entry))));
  }

  /**
   * Executes updates of this map and of objects in it, at any depth, as one atomic operation: each
   * sees the earlier ones.
   *
   * @throws IllegalArgumentException if an update is of an object outside this map
   */
  public abstract Update batch(Update... updates);

  /**
   * Converts updates into operations on this map.
   *
   * @param type the class of the map's operations
   */
  final <O> List<O> operations(Class<O> type, Update... updates) {
    List<O> operations = new ArrayList<>(updates.length);
    for (Update update : updates) {
      operations.add(
          update
              .operationAt(path())
              .filter(type::isInstance)
              .map(type::cast)
              .orElseThrow(() -> notInside(update.key())));
    }
    return operations;
  }

  final IllegalArgumentException notInside(Key<?> key) {
    return new IllegalArgumentException(
        key + " is not in " + this + ": use the key of the map that contains it");
  }
}
