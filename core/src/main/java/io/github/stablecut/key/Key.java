package io.github.stablecut.key;

import io.github.stablecut.Store;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.Question;
import io.github.stablecut.crdt.UnreadableValue;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.TypeMismatchException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The name of an object together with its type. A key names an object in a bucket, or one inside
 * another object: maps create the keys of objects in them. The first update of a stored object
 * fixes its type; keys of other types are rejected from then on. In a map objects of different
 * types with the same name are different objects.
 *
 * <p>A key is a value: creating one has no effect on a store. Immutable.
 *
 * @param <V> the type of the object's value
 */
public abstract sealed class Key<V> implements Query<V>
    permits BoundedCounterKey,
        CounterKey,
        CounterMapKey,
        ExpiringKey,
        FlagKey,
        MultiValueRegisterKey,
        ObjectKey,
        ObjectMapKey,
        RegisterKey,
        SequenceKey,
        SetKey,
        StateKey,
        StreamKey,
        ViewKey {
  /** Bucket and key together have at most this many bytes: 32 KiB. */
  public static final int MAX_BYTES = 32 << 10;

  private final ObjectPath place;
  private final CrdtType<?, Object, ?, Object> type;

  /** The type as readers by this key see it, which may have another value. */
  private final CrdtType<?, Object, ?, Object> shown;

  private final Function<Object, V> view;
  private final CrdtType<?, ?, ?, ?> stored;

  // What every read asks for: not to be computed each time.
  private final Bytes id;
  private final boolean isStored;
  private final boolean dependsOnTime;

  /**
   * @param view what a reader sees of the type's value
   */
  <W> Key(ObjectPath place, CrdtType<?, ?, ?, W> type, Function<? super W, ? extends V> view) {
    this(place, type, type, view);
  }

  /**
   * @param shown the same type, with another value for readers
   * @param view what a reader sees of that value
   */
  @SuppressWarnings("unchecked") // the view is given values of the shown type only
  <W> Key(
      ObjectPath place,
      CrdtType<?, ?, ?, ?> type,
      CrdtType<?, ?, ?, W> shown,
      Function<? super W, ? extends V> view) {
    this.place = place;
    this.type = PathStep.untyped(Objects.requireNonNull(type, "type"));
    this.shown = PathStep.untyped(shown);
    this.view = (Function<Object, V>) view;
    this.stored = place.storedType(this.type);
    this.id = place.id();
    this.isStored = place.steps().isEmpty();
    this.dependsOnTime = stored.dependsOnTime();
  }

  /** A counter that goes up and down. */
  public static CounterKey counter(String bucket, String key) {
    return new CounterKey(ObjectPath.of(bucket, key));
  }

  /** A counter that can be reset. */
  public static ResettableCounterKey resettableCounter(String bucket, String key) {
    return new ResettableCounterKey(ObjectPath.of(bucket, key));
  }

  /** A counter that never falls below 0. */
  public static BoundedCounterKey boundedCounter(String bucket, String key) {
    return new BoundedCounterKey(ObjectPath.of(bucket, key));
  }

  /** A register in which the last writer wins. */
  public static <T> RegisterKey<T> register(String bucket, String key, Codec<T> values) {
    ObjectPath place = ObjectPath.of(bucket, key);
    return new RegisterKey<>(place, place.codec(values));
  }

  /** A register that keeps all values that were assigned concurrently. */
  public static <T> MultiValueRegisterKey<T> multiValueRegister(
      String bucket, String key, Codec<T> values) {
    ObjectPath place = ObjectPath.of(bucket, key);
    return new MultiValueRegisterKey<>(place, place.codec(values));
  }

  /** A set from which nothing is removed. */
  public static <T> GrowOnlySetKey<T> growOnlySet(String bucket, String key, Codec<T> elements) {
    ObjectPath place = ObjectPath.of(bucket, key);
    return new GrowOnlySetKey<>(place, place.codec(elements));
  }

  /** A set in which an addition wins over a concurrent removal. */
  public static <T> AddWinsSetKey<T> addWinsSet(String bucket, String key, Codec<T> elements) {
    ObjectPath place = ObjectPath.of(bucket, key);
    return new AddWinsSetKey<>(place, place.codec(elements));
  }

  /** A set in which a removal wins over a concurrent addition. */
  public static <T> RemoveWinsSetKey<T> removeWinsSet(
      String bucket, String key, Codec<T> elements) {
    ObjectPath place = ObjectPath.of(bucket, key);
    return new RemoveWinsSetKey<>(place, place.codec(elements));
  }

  /** A flag for which enabling wins over concurrent disabling. */
  public static FlagKey enableWinsFlag(String bucket, String key) {
    return FlagKey.enableWins(ObjectPath.of(bucket, key));
  }

  /** A flag for which disabling wins over concurrent enabling. */
  public static FlagKey disableWinsFlag(String bucket, String key) {
    return FlagKey.disableWins(ObjectPath.of(bucket, key));
  }

  /** Many counters in one object. */
  public static <T> CounterMapKey<T> counterMap(String bucket, String key, Codec<T> names) {
    ObjectPath place = ObjectPath.of(bucket, key);
    return new CounterMapKey<>(place, place.codec(names));
  }

  /** A list that is edited by position. */
  public static <T> ListKey<T> list(String bucket, String key, Codec<T> elements) {
    ObjectPath place = ObjectPath.of(bucket, key);
    return new ListKey<>(place, place.codec(elements));
  }

  /** A text that is edited by position. */
  public static TextKey text(String bucket, String key) {
    return new TextKey(ObjectPath.of(bucket, key));
  }

  /** A stream of entries, each under the next position. */
  public static <T> StreamKey<T> stream(String bucket, String key, Codec<T> entries) {
    ObjectPath place = ObjectPath.of(bucket, key);
    return new StreamKey<>(place, place.codec(entries));
  }

  /** A map of objects from which nothing is removed. */
  public static GrowOnlyMapKey growOnlyMap(String bucket, String key) {
    return new GrowOnlyMapKey(ObjectPath.of(bucket, key));
  }

  /** A map of objects that can be removed. */
  public static RecursiveMapKey map(String bucket, String key) {
    return new RecursiveMapKey(ObjectPath.of(bucket, key));
  }

  /** An object of any type, with operations and values as the type has them. */
  public static <O, V> ObjectKey<O, V> of(Bytes bucket, Bytes key, CrdtType<?, O, ?, V> type) {
    return new ObjectKey<>(ObjectPath.of(bucket, key), type);
  }

  /**
   * The key of an object whose id {@link #id(Bytes, Bytes)} gave. For implementations of {@link
   * Store}.
   */
  public static Key<?> ofId(Bytes id, CrdtType<?, ?, ?, ?> type) {
    return of(ObjectIds.bucket(id), ObjectIds.key(id), type);
  }

  /**
   * The name of a stored object of which its state is read, to send it elsewhere. For
   * implementations of {@link Store}.
   *
   * @param id as {@link #id(Bytes, Bytes)} gives it
   */
  public static Key<Object> stateOf(Bytes id, CrdtType<?, ?, ?, ?> type) {
    return new StateKey(ObjectPath.of(ObjectIds.bucket(id), ObjectIds.key(id)), type);
  }

  /**
   * The id of an object, and what the ids of all objects in a bucket begin with whose keys begin
   * with some bytes. For implementations of {@link Store}.
   */
  public static Bytes id(Bytes bucket, Bytes key) {
    return ObjectIds.of(bucket, key);
  }

  /**
   * The bucket in an id.
   *
   * @throws io.github.stablecut.crdt.FormatException if it is no id
   */
  public static Bytes bucketOf(Bytes id) {
    return ObjectIds.bucket(id);
  }

  /**
   * The key in an id.
   *
   * @throws io.github.stablecut.crdt.FormatException if it is no id
   */
  public static Bytes keyOf(Bytes id) {
    return ObjectIds.key(id);
  }

  /**
   * What an id stands for, for messages, such as {@code "42/likes" in bucket "posts"}; the id
   * itself if it is none.
   */
  public static String nameOf(Bytes id) {
    try {
      return keyOf(id) + " in bucket " + bucketOf(id);
    } catch (FormatException e) {
      return id.toString();
    }
  }

  /**
   * Checks that an object is used with its type. For implementations of {@code Store}.
   *
   * @param id the object
   * @param used the type of the key
   * @param actual the type of the object
   * @throws TypeMismatchException if they differ
   */
  public static void checkType(Bytes id, CrdtType<?, ?, ?, ?> used, CrdtType<?, ?, ?, ?> actual) {
    if (used != actual && used.typeId() != actual.typeId()) {
      throw mismatch(id, used, List.of(actual));
    }
  }

  /**
   * An object is used with a type that it doesn't have. For implementations of {@code Store}.
   *
   * @param used the type of the key
   * @param actual the types of the object
   */
  public static TypeMismatchException mismatch(
      Bytes id, CrdtType<?, ?, ?, ?> used, Collection<? extends CrdtType<?, ?, ?, ?>> actual) {
    return new TypeMismatchException(
        "object %s is %s, not %s: use the right kind of key"
            .formatted(nameOf(id), namesOfTypes(actual), withArticle(used)));
  }

  /** What an object of some types is called: {@code a counter and an add-wins set}. */
  public static String namesOfTypes(Collection<? extends CrdtType<?, ?, ?, ?>> types) {
    return types.stream().map(Key::withArticle).collect(Collectors.joining(" and "));
  }

  private static String withArticle(CrdtType<?, ?, ?, ?> type) {
    String name = type.name();
    return ("aeiou".indexOf(name.charAt(0)) < 0 ? "a " : "an ") + name;
  }

  /** As {@link #nameOf}, of several objects. */
  public static String namesOf(Collection<Bytes> ids) {
    return ids.stream().map(Key::nameOf).collect(Collectors.joining(", "));
  }

  /**
   * A variant of an object that expires at a settable time. It has another type, so an object that
   * is already stored can't be made to expire.
   *
   * @param key of an object that doesn't expire, in a bucket or in a map
   * @throws IllegalArgumentException if it does
   */
  public static <K extends Key<?>> ExpiringKey<K> expiring(K key) {
    return new ExpiringKey<>(key);
  }

  /**
   * A key with a partition key: in a store with several partitions the objects of a bucket whose
   * partition keys are equal are on one partition, and a scan ({@link
   * io.github.stablecut.option.ScanOptions#bucket(Bytes, Bytes)}) finds them next to each other. A
   * part in braces in a text is equivalent: objects with the partition key {@code 42} are on the
   * same partition as those whose keys contain <code>{42}</code>. The partition key is a part of
   * {@link #key()}.
   *
   * @param key without a partition key, of an object in a bucket or in a map
   * @throws IllegalArgumentException if it has one
   * @throws LimitExceededException if bucket and key become longer than {@link #MAX_BYTES}
   */
  @SuppressWarnings("unchecked") // a key elsewhere is one of the same class
  public static <K extends Key<?>> K withPartitionKey(Bytes partitionKey, K key) {
    return (K) key.at(key.place().withPartitionKey(partitionKey));
  }

  /**
   * The key of another stored object, or of the same in it, by the example of one: such as of what
   * a scan has found.
   *
   * @param bucket the other object's
   * @param key the other object's, with its partition key if it has one
   */
  @SuppressWarnings("unchecked") // a key elsewhere is one of the same class
  public static <K extends Key<?>> K alike(K example, Bytes bucket, Bytes key) {
    return (K) example.at(example.place().elsewhere(bucket, key));
  }

  /**
   * What a reader by this key sees of the value that the stored object's type gives.
   *
   * @throws IllegalArgumentException if this key reads something else, as that of an expiring
   *     object does: {@link ExpiringKey#object} has the key of its value
   */
  public final V viewOf(Object value) {
    if (!shown.equals(type)) {
      throw new IllegalArgumentException(
          this + " reads something else than the object's value: ask the store for it by its key");
    }
    return view.apply(place.ofStored(shown, value));
  }

  /** The bucket of the stored object, a name for a family of objects. */
  public final Bytes bucket() {
    return place.bucket();
  }

  /** The stored object's name in its bucket. */
  public final Bytes key() {
    return place.key();
  }

  /** The partition key in {@link #key()}; empty if it has none. */
  public final Optional<Bytes> partitionKey() {
    return PartitionKeys.of(key());
  }

  /** The stored object's type: of an object in a map, that of the outermost map. */
  public final CrdtType<?, ?, ?, ?> type() {
    return stored;
  }

  /**
   * Bucket and key as one string of bytes, whose order is that of buckets and in a bucket that of
   * keys.
   */
  public final Bytes id() {
    return id;
  }

  /** Whether the value may change as time passes ({@link CrdtType#dependsOnTime}). */
  public final boolean dependsOnTime() {
    return dependsOnTime;
  }

  /** This key: it stands for the object's value. */
  @Override
  public final Key<V> target() {
    return this;
  }

  /**
   * The part of the stored object that the object's value is. For implementations of {@link Store}.
   */
  public final Footprint footprint() {
    return place.footprintIn(type, Footprint.whole());
  }

  /**
   * A question whose answer is the object's value, if it is in a map: so the map need not be read.
   * Empty if there is none. For implementations of {@link Store}.
   */
  public final Optional<ObjectQuery<?, V>> valueInMap() {
    return isStored ? Optional.empty() : valueQuery();
  }

  /** The question whose answer is the object's whole value; empty if there is none. */
  Optional<ObjectQuery<?, V>> valueQuery() {
    return Optional.empty();
  }

  /** A question about the object. */
  final <A> ObjectQuery<A, A> ask(Question<A> question) {
    return ObjectQuery.of(this, question, answer -> answer, answer -> answer);
  }

  /**
   * A question about the object, whose answer is decoded.
   *
   * @param encoding undoes the decoding
   */
  final <A, W> ObjectQuery<A, W> ask(
      Question<A> question,
      Function<? super A, ? extends W> decoding,
      Function<? super W, ? extends A> encoding) {
    return ObjectQuery.of(this, question, decoding, encoding);
  }

  @Override
  public V view(Object state, VectorClock snapshot) {
    return view.apply(valueOf(state, snapshot));
  }

  private Object valueOf(Object state, VectorClock snapshot) {
    try {
      return isStored
          ? ObjectPath.valueOf(shown, state, snapshot)
          : place.valueIn(state, shown, snapshot);
    } catch (LimitExceededException e) {
      throw UnreadableValue.named(this, e);
    }
  }

  final ObjectPath place() {
    return place;
  }

  /** The object's type, whatever it is in. */
  final CrdtType<?, Object, ?, Object> ownType() {
    return type;
  }

  /** What a reader sees of the value of a map that the object is in. */
  final V viewAt(ObjectPath map, PathStep.MapKind kind, Object value) {
    return view.apply(
        place
            .valueAt(map, kind, shown, value)
            .orElseThrow(() -> new IllegalArgumentException(this + " is not in " + map)));
  }

  /** An operation of the object's type. */
  final Update updateBy(Object operation) {
    return new Update(this, operation);
  }

  /** The key of an object of the same type at another place. */
  abstract Key<V> at(ObjectPath other);

  /**
   * Equal are keys of the same object and type by which the same is read, whatever their codecs.
   */
  @Override
  public final boolean equals(Object other) {
    return other instanceof Key<?> that
        && place.equals(that.place)
        && type.equals(that.type)
        && shown.equals(that.shown);
  }

  @Override
  public final int hashCode() {
    return 31 * place.hashCode() + type.typeId();
  }

  @Override
  public final String toString() {
    return type.name() + " " + place;
  }
}
